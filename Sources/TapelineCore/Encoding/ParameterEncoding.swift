/// A way to put parameters into a request.
public protocol ParameterEncoding: Sendable {
  /// The request with the parameters; the same request if `parameters` is `nil`.
  func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}
