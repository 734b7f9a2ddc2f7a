public import FoundationEssentials
public import TapelineHTTP
package import TapelineTransport

extension Session {
  /// A request for `convertible`, whose response body is kept in memory. Its first handler starts it.
  ///
  /// Nothing is evaluated, so nothing can fail, before the request has been started; its handlers get later failures.
  ///
  /// ```swift
  /// session.request("https://example.com/tapes", parameters: ["page": 2]).response { response in
  ///   print(response.debugDescription)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every attempt.
  @preconcurrency
  public func request(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> DataRequest {
    request(
      RequestConvertible(
        url: convertible, method: method, parameters: parameters, encoding: encoding, headers: headers,
        requestModifier: requestModifier),
      interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// A request for `convertible` with `Encodable` parameters.
  ///
  /// - Parameters:
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - parameters: put into the URL or the body; `nil` for none.
  ///   - encoder: how the parameters are written.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every
  ///     attempt.
  /// - Returns: the request.
  @preconcurrency
  public func request<Parameters: Encodable & Sendable>(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> DataRequest {
    request(
      RequestEncodableConvertible(
        url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
        requestModifier: requestModifier),
      interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// The request that `convertible` makes.
  ///
  /// - Parameters:
  ///   - convertible: makes the `URLRequest`.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func request(
    _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil
  ) -> DataRequest {
    enroll(
      DataRequest(
        convertible: convertible, delegate: DataTaskDelegate(),
        scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }

  /// A raw stream of bytes to a host and a port: no HTTP, no TLS. `delegate` gets and sends the bytes; `resume()` starts it.
  ///
  /// - Parameters:
  ///   - host: a name or an address.
  ///   - port: the port.
  ///   - delegate: gets and sends the bytes.
  /// - Returns: the request.
  public func stream(host: String, port: UInt16, with delegate: StreamTaskDelegate) -> StreamRequest {
    StreamRequest(to: Route(host: host, port: port), delegate: delegate, engine: engine)
  }

  /// A task for a request that goes out as it is: the body is pulled from `owner`, and the response is pushed to it. `resume()`
  /// starts it, with nothing between that call and the wire. On the session's loop.
  ///
  /// - Throws: when the session has no loop.
  package func forward(_ request: OutgoingRequest, for owner: any TaskOwner) throws(TransportError) -> SessionTask {
    try forward(.exchange(request), for: owner)
  }

  /// A task for a raw stream of bytes both ways. `resume()` starts it. On the session's loop.
  ///
  /// - Parameter via: the proxies that the client's request came through, tapeline included.
  /// - Throws: when the session has no loop.
  package func forward(to route: Route, via: [String], for owner: any TaskOwner) throws(TransportError) -> SessionTask {
    try forward(.stream(route, via: via), for: owner)
  }

  private func forward(_ work: SessionTask.Work, for owner: any TaskOwner) throws(TransportError) -> SessionTask {
    let engine = engine
    engine.root.preconditionCurrent()
    let task = try engine.makeTask(work)
    engine.associate(owner, with: task)
    return task
  }

  // MARK: For the conveniences

  /// The parts of this session that a request needs.
  package func scope(
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> RequestScope {
    RequestScope(
      engine: engine, owner: self, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// Begins the setup of a new request, unless the setup waits for its start.
  package func enroll<Made: Request>(_ request: Made) -> Made {
    switch requestSetup {
    case .lazy: break
    case .eager: engine.root.async { request.perform() }
    }
    return request
  }

  // MARK: Downloads

  /// A download from the URL `convertible`. The file goes to `destination`; without one it stays in the system's temporary
  /// directory.
  ///
  /// ```swift
  /// let file = try await session.download("https://example.com/recording").serializingDownloadedFileURL().value
  /// print(file.path)
  /// ```
  ///
  /// - Parameters:
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - parameters: put into the URL or the body; `nil` for none.
  ///   - encoding: how the parameters are written.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every
  ///     attempt.
  ///   - destination: where the file goes; `nil` leaves it at its temporary URL.
  /// - Returns: the request.
  @preconcurrency
  public func download(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    let request = RequestConvertible(
      url: convertible, method: method, parameters: parameters, encoding: encoding, headers: headers,
      requestModifier: requestModifier)
    return download(request, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
  }

  /// A download from the URL `convertible`, with parameters of any `Encodable` type.
  ///
  /// - Parameters:
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - parameters: put into the URL or the body; `nil` for none.
  ///   - encoder: how the parameters are written.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every
  ///     attempt.
  ///   - destination: where the file goes; `nil` leaves it at its temporary URL.
  /// - Returns: the request.
  @preconcurrency
  public func download<Parameters: Encodable & Sendable>(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?,
    encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    let request = RequestEncodableConvertible(
      url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
      requestModifier: requestModifier)
    return download(request, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
  }

  /// A download with a request, or with a value that makes one.
  ///
  /// - Parameters:
  ///   - convertible: makes the `URLRequest`.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - destination: where the file goes; `nil` leaves it at its temporary URL.
  /// - Returns: the request.
  @preconcurrency
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
  ///   - headers: set in addition to those of its request. Resume data holds no credentials: pass those here that no
  ///     interceptor adds.
  @preconcurrency
  public func download(
    resumingWith data: Data, headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil, to destination: DownloadRequest.Destination? = nil
  ) -> DownloadRequest {
    enroll(
      DownloadRequest(
        downloadable: .resumeData(data), headers: headers, destination: destination,
        scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }

  // MARK: Streamed responses

  /// A request for the URL that `convertible` makes; its response body is handed on as it comes.
  ///
  /// ```swift
  /// for try await piece in session.streamRequest("https://example.com/lines").bytes() {
  ///   print(piece.count)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - automaticallyCancelOnStreamError: whether a piece that cannot be serialized cancels the request.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest`; called again for every attempt.
  /// - Returns: the request.
  @preconcurrency
  public func streamRequest(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
    automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> DataStreamRequest {
    streamRequest(
      RequestConvertible(url: convertible, method: method, headers: headers, requestModifier: requestModifier),
      automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// As above, with `Encodable` parameters.
  ///
  /// - Parameters:
  ///   - convertible: makes the URL.
  ///   - method: the method.
  ///   - parameters: put into the URL or the body; `nil` for none.
  ///   - encoder: how the parameters are written.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  ///   - automaticallyCancelOnStreamError: whether a piece that cannot be serialized cancels the request.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest` before the parameters are encoded into it; called again for every
  ///     attempt.
  /// - Returns: the request.
  @preconcurrency
  public func streamRequest<Parameters: Encodable & Sendable>(
    _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?,
    encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
    automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil,
    shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> DataStreamRequest {
    streamRequest(
      RequestEncodableConvertible(
        url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
        requestModifier: requestModifier),
      automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
      shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// As above, with a `URLRequest`, or a value that makes one.
  ///
  /// - Parameters:
  ///   - convertible: makes the `URLRequest`.
  ///   - automaticallyCancelOnStreamError: whether a piece that cannot be serialized cancels the request.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
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
