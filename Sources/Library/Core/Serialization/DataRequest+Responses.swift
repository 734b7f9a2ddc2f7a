public import Dispatch
public import FoundationEssentials
internal import TapelineTransport

// Without a queue, handlers run on the session's callback queue. The first handler starts the request unless the session or the
// request says otherwise.
extension DataRequest {
  /// Calls `completionHandler` on `queue` once the request has ended, with its outcome, untouched by any serializer.
  @discardableResult
  @preconcurrency
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DefaultDataResponse) -> Void
  ) -> Self {
    respond(
      on: .queue(queue), retries: false, serialize: { .success(()) },
      answer: { [unowned self] _, timing in
        DefaultDataResponse(
          request: request, response: response, data: data, error: error, timeline: timing.timeline, metrics: timing.metrics)
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
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (AFDataResponse<Data?>) -> Void
  ) -> Self {
    response(queue: queue) { (response: DefaultDataResponse) in completionHandler(response.sibling) }
  }

  /// Calls `completionHandler` on `queue` once the request has ended and `responseSerializer` has made its value of the body.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - responseSerializer: makes the value.
  ///   - completionHandler: called once, with the outcome.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func response<Serializer: DataResponseSerializerProtocol>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
  ) -> Self {
    respond(on: .queue(queue), by: responseSerializer, completionHandler: completionHandler)
  }

  /// Calls `completionHandler` on `queue` once the request has ended and `responseSerializer` has made its value of the body.
  /// This form is for the serializers that have names, such as `.string`.
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
    completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
  ) -> Self {
    respond(on: .queue(queue), by: responseSerializer, completionHandler: completionHandler)
  }

  /// Attaches a handler for the value that `responseSerializer` makes.
  @discardableResult
  func respond<Serializer: DataResponseSerializerProtocol>(
    on delivery: Delivery, by responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
  ) -> Self {
    respond(
      on: delivery,
      serialize: { [unowned self] in
        do {
          return .success(try responseSerializer.serialize(request: request, response: response, data: data, error: error))
        } catch {
          return .failure(error.asSerializationError)
        }
      },
      answer: { [unowned self] result, timing in
        DataResponse(
          request: request, response: response, data: data, result: result, timeline: timing.timeline, metrics: timing.metrics,
          serializationDuration: timing.serializationDuration)
      },
      announce: { [unowned self] monitor, response in monitor.request(self, didParseResponse: response) },
      completionHandler: completionHandler)
  }

  /// Delivers the body. An empty body is a failure, unless the method or the status allows it.
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
    completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: DataResponseSerializer(
        dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }

  /// Delivers the body as text.
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
    encoding: TextEncoding? = nil, emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods,
    completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: StringResponseSerializer(
        dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }

  /// Delivers the body's JSON as Swift values: see `JSONResponseSerializer`.
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
    completionHandler: @escaping @Sendable (DataResponse<any Sendable>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: JSONResponseSerializer(
        dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }

  /// Delivers the body's JSON as a `JSONValue`.
  @discardableResult
  @preconcurrency
  public func responseJSONValue(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<JSONValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: JSONValueResponseSerializer(), completionHandler: completionHandler)
  }

  /// Delivers the value that the body decodes to.
  ///
  /// ```swift
  /// session.request("https://example.com/tapes/1").responseDecodable(of: Tape.self) { response in
  ///   print(response.value?.title ?? "\(response.error, default: "no error")")
  /// }
  /// ```
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
    completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
  ) -> Self {
    response(
      queue: queue,
      responseSerializer: DecodableResponseSerializer<Value>(
        dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods),
      completionHandler: completionHandler)
  }
}
