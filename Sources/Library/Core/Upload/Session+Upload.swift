public import FoundationEssentials

extension Session {
  // MARK: Bytes in memory

  /// An upload of `data` to the URL that `convertible` makes.
  ///
  /// ```swift
  /// let receipt = session.upload(Data("side A".utf8), to: "https://example.com/upload").validate()
  /// print(await receipt.serializingString().result)
  /// ```
  ///
  /// - Parameters:
  ///   - data: the bytes of the body.
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every
  ///     attempt.
  /// - Returns: the request.
  @preconcurrency
  public func upload(
    _ data: Data, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> UploadRequest {
    upload(
      Uploadable.data(data), with: Self.request(convertible, method, headers, requestModifier), interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of `data` with a `URLRequest`, or a value that makes one.
  ///
  /// - Parameters:
  ///   - data: the bytes of the body.
  ///   - convertible: makes the `URLRequest`.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func upload(
    _ data: Data, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      Uploadable.data(data), with: convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  // MARK: Files

  /// An upload of a file, which is read while it is sent.
  ///
  /// - Parameters:
  ///   - fileURL: the file.
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every
  ///     attempt.
  /// - Returns: the request.
  @preconcurrency
  public func upload(
    _ fileURL: URL, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> UploadRequest {
    upload(
      Uploadable.file(fileURL, shouldRemove: false), with: Self.request(convertible, method, headers, requestModifier),
      interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a file, which is read while it is sent, with a `URLRequest`, or a value that makes one.
  ///
  /// - Parameters:
  ///   - fileURL: the file.
  ///   - convertible: makes the `URLRequest`.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func upload(
    _ fileURL: URL, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      Uploadable.file(fileURL, shouldRemove: false), with: convertible, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  // MARK: Streams

  /// An upload of a stream, which is read while it is sent.
  ///
  /// - Parameters:
  ///   - stream: called with each piece, and with the end; if it throws, the request ends.
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every
  ///     attempt.
  /// - Returns: the request.
  @preconcurrency
  public func upload(
    _ stream: UploadStream, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> UploadRequest {
    upload(
      Uploadable.stream(stream), with: Self.request(convertible, method, headers, requestModifier), interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a stream, which is read while it is sent, with a `URLRequest`, or a value that makes one.
  ///
  /// - Parameters:
  ///   - stream: called with each piece, and with the end; if it throws, the request ends.
  ///   - convertible: makes the `URLRequest`.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func upload(
    _ stream: UploadStream, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      Uploadable.stream(stream), with: convertible, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  // MARK: Anything

  /// An upload of the body that `uploadable` makes for each attempt.
  ///
  /// - Parameters:
  ///   - uploadable: makes the body of each attempt.
  ///   - convertible: makes the `URLRequest`.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func upload(
    _ uploadable: any UploadableConvertible, with convertible: any URLRequestConvertible,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      Upload(request: convertible, uploadable: uploadable), interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload that makes both its request and its body.
  ///
  /// - Parameters:
  ///   - upload: makes the `URLRequest` and the body.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func upload(
    _ upload: any UploadConvertible, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    enroll(
      UploadRequest(
        upload: upload, scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }

  static func request(
    _ convertible: any URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders?, _ modifier: RequestModifier?
  ) -> RequestConvertible {
    RequestConvertible(url: convertible, method: method, headers: headers, requestModifier: modifier)
  }

  // MARK: Forms with several parts

  /// An upload of a form that `build` fills during this call.
  ///
  /// - Parameters:
  ///   - build: fills the form, during this call.
  ///   - convertible: makes the URL.
  ///   - threshold: the longest body that is encoded in memory; a longer one goes to a temporary file first.
  ///   - method: the method.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest`; called again for every attempt.
  /// - Returns: the request.
  @preconcurrency
  public func upload(
    multipartFormData build: (MultipartFormData) -> Void, to convertible: any URLConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> UploadRequest {
    upload(
      multipartFormData: build, with: Self.request(convertible, method, headers, requestModifier), usingThreshold: threshold,
      interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a form that `build` fills during this call, with a `URLRequest`, or a value that makes one.
  ///
  /// - Parameters:
  ///   - build: fills the form, during this call.
  ///   - convertible: makes the `URLRequest`.
  ///   - threshold: the longest body that is encoded in memory; a longer one goes to a temporary file first.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func upload(
    multipartFormData build: (MultipartFormData) -> Void, with convertible: any URLRequestConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    let form = MultipartFormData()
    build(form)
    return upload(
      multipartFormData: form, with: convertible, usingThreshold: threshold, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a form.
  ///
  /// - Parameters:
  ///   - form: the form.
  ///   - convertible: makes the URL.
  ///   - threshold: the longest body that is encoded in memory; a longer one goes to a temporary file first.
  ///   - method: the method.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest`; called again for every attempt.
  /// - Returns: the request.
  @preconcurrency
  public func upload(
    multipartFormData form: MultipartFormData, to convertible: any URLConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> UploadRequest {
    upload(
      multipartFormData: form, with: Self.request(convertible, method, headers, requestModifier), usingThreshold: threshold,
      interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// An upload of a form with a `URLRequest`, or a value that makes one.
  ///
  /// - Parameters:
  ///   - form: the form; what is added later is not sent.
  ///   - convertible: makes the `URLRequest`.
  ///   - threshold: the longest body that is encoded in memory; a longer one goes to a temporary file first.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func upload(
    multipartFormData form: MultipartFormData, with convertible: any URLRequestConvertible,
    usingThreshold threshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> UploadRequest {
    upload(
      MultipartUpload(form: form.copy, request: convertible, threshold: threshold), interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }
}
