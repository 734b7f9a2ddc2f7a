extension Session {
  /// A request for the URL that `convertible` makes; its response body is handed on as it comes.
  ///
  /// - Parameter automaticallyCancelOnStreamError: whether a piece that cannot be serialized cancels the request.
  public func streamRequest(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, automaticallyCancelOnStreamError: Bool = false,
    headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> DataStreamRequest {
    streamRequest(
      RequestConvertible(url: convertible, method: method, headers: headers, requestModifier: requestModifier),
      automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// As above, with `Encodable` parameters.
  public func streamRequest<Parameters: Encodable & Sendable>(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?,
    encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, automaticallyCancelOnStreamError: Bool = false,
    headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> DataStreamRequest {
    streamRequest(
      RequestEncodableConvertible(
        url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
        requestModifier: requestModifier),
      automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// As above, with a `URLRequest`, or a value that makes one.
  public func streamRequest(
    _ convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool = false,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> DataStreamRequest {
    enroll(
      DataStreamRequest(
        convertible: convertible, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError,
        scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }
}
