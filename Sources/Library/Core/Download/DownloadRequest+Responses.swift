public import Dispatch
public import FoundationEssentials
internal import TapelineTransport

extension DownloadRequest {
  /// Calls `completionHandler` on `queue` (the session's callback queue when left out) once the request has ended, with the
  /// location of the file. Starts the request unless the session or the request says otherwise.
  @discardableResult
  @preconcurrency
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DefaultDownloadResponse) -> Void
  ) -> Self {
    respond(
      on: .queue(queue), retries: false, serialize: { .success(()) },
      answer: { [unowned self] _, timing in
        DefaultDownloadResponse(
          request: request, response: response, files: downloadOutcome, error: error, timeline: timing.timeline,
          metrics: timing.metrics)
      },
      announce: { [unowned self] monitor, response in
        monitor.request(self, didParseResponse: response)
        monitor.request(self, didParseResponse: response.sibling)
      },
      completionHandler: completionHandler)
  }

  /// Like the other `response(queue:completionHandler:)`, for a handler that names the type it wants.
  @discardableResult
  @_disfavoredOverload
  @preconcurrency
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (AFDownloadResponse<URL?>) -> Void
  ) -> Self {
    response(queue: queue) { (response: DefaultDownloadResponse) in completionHandler(response.sibling) }
  }

  /// As `response`, with the file made into a value.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - responseSerializer: makes the value.
  ///   - completionHandler: called once, with the outcome.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func response<Serializer: DownloadResponseSerializerProtocol>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
  ) -> Self {
    respond(on: .queue(queue), by: responseSerializer, completionHandler: completionHandler)
  }

  /// As `response`, with the file made into a value. This form is for the serializers that have names, such as `.string`.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - responseSerializer: makes the value.
  ///   - completionHandler: called once, with the outcome.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func response<Serializer: ResponseSerializer>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
  ) -> Self {
    respond(on: .queue(queue), by: responseSerializer, completionHandler: completionHandler)
  }

  /// Attaches a handler for the value that `responseSerializer` makes.
  @discardableResult
  func respond<Serializer: DownloadResponseSerializerProtocol>(
    on delivery: Delivery, by responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
  ) -> Self {
    respond(
      on: delivery,
      serialize: { [unowned self] in
        do {
          return .success(
            try responseSerializer.serializeDownload(
              request: request, response: response, fileURL: downloadOutcome.fileURL, error: error))
        } catch {
          return .failure(
            error.asTapelineError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: error))))
        }
      },
      answer: { [unowned self] result, timing in
        DownloadResponse(
          request: request, response: response, files: downloadOutcome, result: result, timeline: timing.timeline,
          metrics: timing.metrics, serializationDuration: timing.serializationDuration)
      },
      announce: { [unowned self] monitor, response in monitor.request(self, didParseResponse: response) },
      completionHandler: completionHandler)
  }

  /// Delivers the file's URL.
  @discardableResult
  @preconcurrency
  public func responseURL(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: URLResponseSerializer(), completionHandler: completionHandler)
  }

  /// Delivers the file's bytes.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  ///   - completionHandler: called once, with the outcome.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func responseData(
    queue: DispatchQueue? = nil, dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
    emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods,
    completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: DataResponseSerializer(
        dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }

  /// Delivers the file as text.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - dataPreprocessor: changes the data before it is made into the value.
  ///   - encoding: the text's encoding; if left out, the response determines it.
  ///   - emptyResponseCodes: the statuses of responses that may be empty.
  ///   - emptyRequestMethods: the methods of requests whose responses may be empty.
  ///   - completionHandler: called once, with the response.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func responseString(
    queue: DispatchQueue? = nil, dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor,
    encoding: TextEncoding? = nil,
    emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods,
    completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: StringResponseSerializer(
        dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }

  /// Delivers the file's JSON in values of Swift: see `JSONResponseSerializer`.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  ///   - completionHandler: called once, with the outcome.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func responseJSON(
    queue: DispatchQueue? = nil, dataPreprocessor: any DataPreprocessor = JSONResponseSerializer.defaultDataPreprocessor,
    emptyResponseCodes: Set<Int> = JSONResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = JSONResponseSerializer.defaultEmptyRequestMethods,
    completionHandler: @escaping @Sendable (DownloadResponse<any Sendable>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: JSONResponseSerializer(
        dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }

  /// Delivers the file's JSON as a `JSONValue`.
  @discardableResult
  @preconcurrency
  public func responseJSONValue(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<JSONValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: JSONValueResponseSerializer(), completionHandler: completionHandler)
  }

  /// Delivers the value that the file's JSON decodes to.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - decoder: makes the value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  ///   - completionHandler: called once, with the outcome.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func responseDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, queue: DispatchQueue? = nil,
    dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer<Value>.defaultDataPreprocessor,
    decoder: any DataDecoder = JSONDecoder(),
    emptyResponseCodes: Set<Int> = DecodableResponseSerializer<Value>.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<Value>.defaultEmptyRequestMethods,
    completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: DecodableResponseSerializer<Value>(
        dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }
}
