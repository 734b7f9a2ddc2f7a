public import FoundationEssentials

/// The body as JSON of any shape. An empty body that is allowed becomes `null`.
public struct JSONValueResponseSerializer: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
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
