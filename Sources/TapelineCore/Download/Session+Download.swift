public import FoundationEssentials

extension Session {
  /// A download of what `convertible` names. It goes to `destination`, or without one stays in the system's temporary directory.
  public func download(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
    shouldAutomaticallyResume: Bool? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    let request = RequestConvertible(
      url: convertible, method: method, parameters: parameters, encoding: encoding, headers: headers,
      requestModifier: requestModifier)
    return download(request, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
  }

  /// A download of what `convertible` names, with parameters of a type of their own.
  public func download<Parameters: Encodable & Sendable>(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?,
    encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
    shouldAutomaticallyResume: Bool? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    let request = RequestEncodableConvertible(
      url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
      requestModifier: requestModifier)
    return download(request, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
  }

  /// A download by a request that is there, or makes itself.
  public func download(
    _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    enroll(
      DownloadRequest(
        downloadable: .request(convertible), destination: destination,
        scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }

  /// The rest of a download that was interrupted. If what it is about has changed meanwhile, all of it is downloaded again.
  ///
  /// - Parameters:
  ///   - data: the `resumeData` of that download.
  ///   - headers: set in addition to those of its request. Resume data holds no credentials, so what is not added by an
  ///     interceptor is given here.
  public func download(
    resumingWith data: Data, headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    enroll(
      DownloadRequest(
        downloadable: .resumeData(data), headers: headers, destination: destination,
        scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }
}
