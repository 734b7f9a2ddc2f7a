extension Session {
  /// An upload of a form that `build` fills during this call.
  ///
  /// - Parameter threshold: the longest body that is encoded in memory; a longer one goes to a temporary file first.
  public func upload(
    multipartFormData build: (inout MultipartFormData) -> Void, to convertible: any URLConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      multipartFormData: build, with: Self.request(convertible, method, headers, requestModifier), usingThreshold: threshold,
      interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a form that `build` fills during this call, with a `URLRequest`, or a value that makes one.
  public func upload(
    multipartFormData build: (inout MultipartFormData) -> Void, with convertible: any URLRequestConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    var form = MultipartFormData()
    build(&form)
    return upload(
      multipartFormData: form, with: convertible, usingThreshold: threshold, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a form.
  ///
  /// - Parameter threshold: the longest body that is encoded in memory; a longer one goes to a temporary file first.
  public func upload(
    multipartFormData form: MultipartFormData, to convertible: any URLConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      multipartFormData: form, with: Self.request(convertible, method, headers, requestModifier), usingThreshold: threshold,
      interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a form with a `URLRequest`, or a value that makes one.
  public func upload(
    multipartFormData form: MultipartFormData, with convertible: any URLRequestConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      MultipartUpload(form: form, request: convertible, threshold: threshold), interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }
}
