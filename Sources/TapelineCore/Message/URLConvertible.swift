public import FoundationEssentials

/// A value that can be made into a `URL`: the only way a request gets its URL.
public protocol URLConvertible: Sendable {
  /// The URL; throws `TapelineError.invalidURL` if the value is not one.
  func asURL() throws -> URL
}

extension String: URLConvertible {
  public func asURL() throws -> URL {
    guard let url = URL(string: self) else { throw TapelineError.invalidURL(url: self) }
    return url
  }
}

extension URL: URLConvertible {
  public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
  public func asURL() throws -> URL {
    guard let url else { throw TapelineError.invalidURL(url: self) }
    return url
  }
}
