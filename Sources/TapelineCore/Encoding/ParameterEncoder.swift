/// A way to put a value of any `Encodable` type into a request.
public protocol ParameterEncoder: Sendable {
  /// The request with the parameters; the same request if `parameters` is `nil`.
  func encode<ParameterValue: Encodable & Sendable>(
    _ parameters: ParameterValue?, into request: URLRequest
  ) throws -> URLRequest
}
