public import FoundationEssentials

/// The body itself.
public struct DataResponseSerializer: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
  ///
  /// - Parameters:
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public init(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
    emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
  ) {
    self.dataPreprocessor = dataPreprocessor
    self.emptyResponseCodes = emptyResponseCodes
    self.emptyRequestMethods = emptyRequestMethods
  }

  public func serialize(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
  ) throws -> Data {
    try body(request: request, response: response, data: data, error: error) ?? Data()
  }
}

extension ResponseSerializer where Self == DataResponseSerializer {
  /// The body itself.
  public static var data: DataResponseSerializer { DataResponseSerializer() }

  /// The body itself, with rules for empty bodies.
  ///
  /// - Parameters:
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public static func data(
    dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
    emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
  ) -> DataResponseSerializer {
    DataResponseSerializer(
      dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
  }
}

/// The body as text: in the given encoding, else in the one that the response's `charset` names; if neither is known, as UTF-8
/// if it is valid UTF-8, else as ISO-8859-1, in which every byte is a character.
public struct StringResponseSerializer: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  /// `nil` for the response's own.
  public let encoding: TextEncoding?
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
  ///
  /// - Parameters:
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - encoding: how the parameters are written.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public init(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(), encoding: TextEncoding? = nil,
    emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
  ) {
    self.dataPreprocessor = dataPreprocessor
    self.encoding = encoding
    self.emptyResponseCodes = emptyResponseCodes
    self.emptyRequestMethods = emptyRequestMethods
  }

  public func serialize(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
  ) throws -> String {
    guard let body = try body(request: request, response: response, data: data, error: error) else { return "" }
    guard let encoding = encoding ?? response?.textEncodingName.flatMap(TextEncoding.init(name:)) else {
      return TextEncoding.utf8.decode(body) ?? String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
    }
    guard let text = encoding.decode(body) else {
      throw TapelineError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: encoding))
    }
    return text
  }
}

extension ResponseSerializer where Self == StringResponseSerializer {
  /// The body as text in the response's own encoding.
  public static var string: StringResponseSerializer { StringResponseSerializer() }

  /// The body as text.
  ///
  /// - Parameters:
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - encoding: how the parameters are written.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public static func string(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(), encoding: TextEncoding? = nil,
    emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
  ) -> StringResponseSerializer {
    StringResponseSerializer(
      dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
      emptyRequestMethods: emptyRequestMethods)
  }
}

/// The body as JSON of any shape. An empty body that is allowed becomes `null`.
public struct JSONValueResponseSerializer: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
  ///
  /// - Parameters:
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public init(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
    emptyResponseCodes: Set<Int> = JSONValueResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = JSONValueResponseSerializer.defaultEmptyRequestMethods
  ) {
    self.dataPreprocessor = dataPreprocessor
    self.emptyResponseCodes = emptyResponseCodes
    self.emptyRequestMethods = emptyRequestMethods
  }

  public func serialize(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
  ) throws -> JSONValue {
    guard let body = try body(request: request, response: response, data: data, error: error) else { return .null }
    do {
      return try JSONDecoder().decode(JSONValue.self, from: body)
    } catch {
      throw TapelineError.responseSerializationFailed(reason: .jsonSerializationFailed(error: error))
    }
  }
}

/// The body as JSON in Swift values: `[String: any Sendable]`, `[any Sendable]`, `String`, `Int`, `Double`, `Bool`; a `null` is
/// `JSONValue.null`.
public struct JSONResponseSerializer: ResponseSerializer {
  private let serializer: JSONValueResponseSerializer

  /// A serializer; arguments that are left out take the defaults.
  ///
  /// - Parameters:
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public init(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
    emptyResponseCodes: Set<Int> = JSONResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = JSONResponseSerializer.defaultEmptyRequestMethods
  ) {
    serializer = JSONValueResponseSerializer(
      dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
  }

  public var dataPreprocessor: any DataPreprocessor { serializer.dataPreprocessor }
  public var emptyRequestMethods: Set<HTTPMethod> { serializer.emptyRequestMethods }
  public var emptyResponseCodes: Set<Int> { serializer.emptyResponseCodes }

  public func serialize(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
  ) throws -> any Sendable {
    try serializer.serialize(request: request, response: response, data: data, error: error).sendableValue
  }
}

extension ResponseSerializer where Self == JSONValueResponseSerializer {
  /// The body as JSON.
  public static var json: JSONValueResponseSerializer { JSONValueResponseSerializer() }
}

/// The body as a value of the caller's type. An empty body that is allowed becomes the `emptyValue()` of an `EmptyResponse`.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  /// Makes the value.
  public let decoder: any DataDecoder
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
  ///
  /// - Parameters:
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - decoder: makes the value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
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
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - dataPreprocessor: changes the body before it is made into a value.
  ///   - decoder: makes the value.
  ///   - emptyResponseCodes: the statuses that may come without a body.
  ///   - emptyRequestMethods: the methods that may be answered without a body.
  public static func decodable<Value: Decodable & Sendable>(
    of type: Value.Type, dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
    decoder: any DataDecoder = JSONDecoder(),
    emptyResponseCodes: Set<Int> = DecodableResponseSerializer<Value>.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<Value>.defaultEmptyRequestMethods
  ) -> DecodableResponseSerializer<Value> where Self == DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(
      dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
      emptyRequestMethods: emptyRequestMethods)
  }
}

/// Where the file of a download is.
public struct URLResponseSerializer: DownloadResponseSerializerProtocol {
  /// It has no options.
  public init() {}

  public func serializeDownload(
    request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
  ) throws -> URL {
    if let error { throw error }
    guard let fileURL else { throw TapelineError.responseSerializationFailed(reason: .inputFileNil) }
    return fileURL
  }
}

extension DownloadResponseSerializerProtocol where Self == URLResponseSerializer {
  /// Where the file is.
  public static var url: URLResponseSerializer { URLResponseSerializer() }
}
