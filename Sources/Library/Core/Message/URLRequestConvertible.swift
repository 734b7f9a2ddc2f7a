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

/// Changes a request that was just made, before its parameters are encoded; runs at each attempt.
public typealias RequestModifier = @Sendable (_ request: inout URLRequest) throws -> Void

/// The parts of a request whose parameters are a dictionary, kept until the request is needed.
package struct RequestConvertible: URLRequestConvertible {
  private let url: any URLConvertible
  private let method: HTTPMethod
  private let parameters: Parameters?
  private let encoding: any ParameterEncoding
  private let headers: HTTPHeaders?
  private let requestModifier: RequestModifier?

  package init(
    url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil, requestModifier: RequestModifier? = nil
  ) {
    self.url = url
    self.method = method
    self.parameters = parameters
    self.encoding = encoding
    self.headers = headers
    self.requestModifier = requestModifier
  }

  /// Makes the request from its parts, then runs the modifier, then encodes the parameters.
  package func asURLRequest() throws -> URLRequest {
    var request = try URLRequest(url: url, method: method, headers: headers)
    try requestModifier?(&request)
    return try encoding.encode(request, with: parameters)
  }
}

/// The parts of a request whose parameters are a value of their own type, kept until the request is needed.
package struct RequestEncodableConvertible<ParameterValue: Encodable & Sendable>: URLRequestConvertible {
  private let url: any URLConvertible
  private let method: HTTPMethod
  private let parameters: ParameterValue?
  private let encoder: any ParameterEncoder
  private let headers: HTTPHeaders?
  private let requestModifier: RequestModifier?

  package init(
    url: any URLConvertible, method: HTTPMethod = .get, parameters: ParameterValue?,
    encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
    requestModifier: RequestModifier? = nil
  ) {
    self.url = url
    self.method = method
    self.parameters = parameters
    self.encoder = encoder
    self.headers = headers
    self.requestModifier = requestModifier
  }

  /// Makes the request from its parts, then runs the modifier, then encodes the parameters.
  package func asURLRequest() throws -> URLRequest {
    var request = try URLRequest(url: url, method: method, headers: headers)
    try requestModifier?(&request)
    guard let parameters else { return request }
    return try encoder.encode(parameters, into: request)
  }
}
