public import FoundationEssentials

extension Session {
  /// A download from the URL `convertible`. The file goes to `destination`; without one it stays in the system's temporary
  /// directory.
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

  /// A download from the URL `convertible`, with parameters of any `Encodable` type.
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

  /// A download with a request, or with a value that makes one.
  public func download(
    _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    enroll(
      DownloadRequest(
        downloadable: .request(convertible), destination: destination,
        scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }

  /// The rest of an interrupted download. If the representation has changed in the meantime, all of it is downloaded again.
  ///
  /// - Parameters:
  ///   - data: the `resumeData` of that download.
  ///   - headers: set in addition to those of its request. Resume data holds no credentials: pass those here that no interceptor
  ///     adds.
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
