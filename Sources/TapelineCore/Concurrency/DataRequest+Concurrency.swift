public import FoundationEssentials
internal import TapelineTransport

extension DataRequest {
  /// The body, to be awaited. An empty body is a failure unless the method or the status allows it.
  ///
  /// - Parameter automaticallyCancelling: whether cancelling an awaiting task cancels the request.
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
  /// - Parameter encoding: the text's encoding; if left out, the response determines it.
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
