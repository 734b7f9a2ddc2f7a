public import FoundationEssentials

/// The body itself.
public struct DataResponseSerializer: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
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
}
