public import FoundationEssentials

/// The body as a value of the caller's type. An empty body that is allowed becomes the `emptyValue()` of an `EmptyResponse`.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  /// Makes the value.
  public let decoder: any DataDecoder
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
  public init(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(), decoder: any DataDecoder = JSONDecoder(),
    emptyResponseCodes: Set<Int> = DecodableResponseSerializer<Value>.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<Value>.defaultEmptyRequestMethods
  ) {
    self.dataPreprocessor = dataPreprocessor
    self.decoder = decoder
    self.emptyResponseCodes = emptyResponseCodes
    self.emptyRequestMethods = emptyRequestMethods
  }

  public func serialize(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
  ) throws -> Value {
    guard let body = try body(request: request, response: response, data: data, error: error) else {
      guard let type = Value.self as? any EmptyResponse.Type, let value = type.emptyValue() as? Value else {
        throw TapelineError.responseSerializationFailed(reason: .invalidEmptyResponse(type: "\(Value.self)"))
      }
      return value
    }
    do {
      return try decoder.decode(Value.self, from: body)
    } catch {
      throw TapelineError.responseSerializationFailed(reason: .decodingFailed(error: error))
    }
  }
}

extension ResponseSerializer {
  /// The body as a value of `type`, from JSON unless another decoder is given.
  public static func decodable<Value: Decodable & Sendable>(
    of type: Value.Type, dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
    decoder: any DataDecoder = JSONDecoder()
  ) -> DecodableResponseSerializer<Value> where Self == DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(dataPreprocessor: dataPreprocessor, decoder: decoder)
  }
}
