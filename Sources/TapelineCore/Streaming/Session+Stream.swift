extension Session {
  /// A request whose body is handed on as it comes, for what `convertible` names.
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

  /// As above, with parameters of a type of their own.
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

  /// As above, by a request that is there, or makes itself.
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
