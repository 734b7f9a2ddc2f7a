/// A value that can be made into a `URLRequest`, later and off the caller's thread.
public protocol URLRequestConvertible: Sendable {
  /// The request, made anew at each attempt.
  func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
  /// The request; `nil` when making it throws.
  public var urlRequest: URLRequest? {
    switch Result(catching: asURLRequest) {
    case .success(let request): request
    case .failure: nil
    }
  }
}

extension URLRequest: URLRequestConvertible {
  public func asURLRequest() throws -> URLRequest { self }
}
