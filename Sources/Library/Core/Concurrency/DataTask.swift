public import FoundationEssentials
internal import TapelineTransport

/// The value of a data or upload request, to be awaited.
///
/// The request has been started whether or not anybody awaits, unless the session or the request says otherwise. Cancelling a
/// task that awaits cancels the request, unless `automaticallyCancelling` was `false`.
public struct DataTask<Value: Sendable>: Sendable {
  private let pending: PendingResponse<DataResponse<Value>>

  /// - Parameter attach: gives the request a handler.
  init(
    _ request: DataRequest, cancels: Bool, attach: (@escaping @Sendable (DataResponse<Value>) -> Void) -> Void
  ) {
    pending = PendingResponse(request, cancels: cancels, attach: attach)
  }

  /// The response, once the request has ended.
  public var response: DataResponse<Value> {
    get async { await pending.value }
  }

  /// The value or the error, once the request has ended.
  public var result: AFResult<Value> {
    get async { await response.result }
  }

  /// The value, once the request has ended.
  ///
  /// - Throws: the error of the request or of the serializer.
  public var value: Value {
    get async throws(TapelineError) { try await result.get() }
  }

  /// Cancels the request; tasks that await get `explicitlyCancelled`.
  public func cancel() {
    pending.request.cancel()
  }

  /// Starts the request, or goes on after `suspend()`.
  public func resume() {
    pending.request.resume()
  }

  /// Stops reading until `resume()`.
  public func suspend() {
    pending.request.suspend()
  }
}

extension DataRequest {
  /// The body, to be awaited. An empty body is a failure unless the method or the status allows it.
  ///
  /// - Parameters:
  ///   - automaticallyCancelling: whether cancelling an awaiting task cancels the request.
  ///   - dataPreprocessor: changes the data before it is made into the value.
  ///   - emptyResponseCodes: the statuses of responses that may be empty.
  ///   - emptyRequestMethods: the methods of requests whose responses may be empty.
  /// - Returns: a task whose `value` throws the request's error, or `responseSerializationFailed`.
  public func serializingData(
    automaticallyCancelling: Bool = true,
    dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
    emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
  ) -> DataTask<Data> {
    serializingResponse(
      using: DataResponseSerializer(
        dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
      automaticallyCancelling: automaticallyCancelling)
  }

  /// The value that the body's JSON decodes to, to be awaited.
  ///
  /// ```swift
  /// let tape = try await session.request("https://example.com/tapes/1").serializingDecodable(Tape.self).value
  /// print(tape.title)
  /// ```
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - automaticallyCancelling: whether cancelling an awaiting task cancels the request.
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - decoder: makes the value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true,
    dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer<Value>.defaultDataPreprocessor,
    decoder: any DataDecoder = JSONDecoder(),
    emptyResponseCodes: Set<Int> = DecodableResponseSerializer<Value>.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<Value>.defaultEmptyRequestMethods
  ) -> DataTask<Value> {
    serializingResponse(
      using: DecodableResponseSerializer<Value>(
        dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods),
      automaticallyCancelling: automaticallyCancelling)
  }

  /// The body as text, to be awaited.
  ///
  /// - Parameters:
  ///   - automaticallyCancelling: whether cancelling an awaiting task cancels the request.
  ///   - dataPreprocessor: changes the data before it is made into the value.
  ///   - encoding: the text's encoding; if left out, the response determines it.
  ///   - emptyResponseCodes: the statuses of responses that may be empty.
  ///   - emptyRequestMethods: the methods of requests whose responses may be empty.
  /// - Returns: a task whose `value` throws the request's error, or `responseSerializationFailed`.
  public func serializingString(
    automaticallyCancelling: Bool = true,
    dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor, encoding: TextEncoding? = nil,
    emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
  ) -> DataTask<String> {
    serializingResponse(
      using: StringResponseSerializer(
        dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods),
      automaticallyCancelling: automaticallyCancelling)
  }

  /// The body's JSON, to be awaited.
  public func serializingJSONValue(automaticallyCancelling: Bool = true) -> DataTask<JSONValue> {
    serializingResponse(using: JSONValueResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
  }

  /// The value that `serializer` makes of the body, to be awaited.
  public func serializingResponse<Serializer: DataResponseSerializerProtocol>(
    using serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> DataTask<Serializer.SerializedObject> {
    DataTask(self, cancels: automaticallyCancelling) { handler in
      respond(on: .inPlace, by: serializer, completionHandler: handler)
    }
  }

  /// The value that `serializer` makes of the body, to be awaited. This form is for the serializers that have names, such as
  /// `.string`.
  public func serializingResponse<Serializer: ResponseSerializer>(
    using serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> DataTask<Serializer.SerializedObject> {
    DataTask(self, cancels: automaticallyCancelling) { handler in
      respond(on: .inPlace, by: serializer, completionHandler: handler)
    }
  }
}
