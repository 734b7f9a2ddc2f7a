public import FoundationEssentials

/// Makes the body of a response, kept in memory, into a value.
public protocol DataResponseSerializerProtocol<SerializedObject>: Sendable {
  /// The type that the body is made into.
  associatedtype SerializedObject: Sendable

  /// The value. Throws `error` if it is not `nil`, because a failed request has no value.
  ///
  /// - Parameters:
  ///   - request: the request; `nil` when none could be made.
  ///   - response: the server's head; `nil` when none came.
  ///   - data: the body; `nil` when none came.
  ///   - error: the request's failure.
  /// - Returns: the value.
  /// - Throws: `error`, or why the body is not what it should be.
  func serialize(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
  ) throws -> SerializedObject
}

/// Makes the file of a download into a value.
public protocol DownloadResponseSerializerProtocol<SerializedObject>: Sendable {
  /// The type that the file is made into.
  associatedtype SerializedObject: Sendable

  /// The value. Throws `error` if it is not `nil`, because a failed request has no value.
  ///
  /// - Parameters:
  ///   - request: the request; `nil` when none could be made.
  ///   - response: the server's head; `nil` when none came.
  ///   - fileURL: the file; `nil` when there is none.
  ///   - error: the request's failure.
  /// - Returns: the value.
  /// - Throws: `error`, or why the file is not what it should be.
  func serializeDownload(
    request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
  ) throws -> SerializedObject
}

/// Makes a body or a file into a value, with rules for empty bodies.
public protocol ResponseSerializer<SerializedObject>: DataResponseSerializerProtocol, DownloadResponseSerializerProtocol {
  /// Changes the body before it is made into a value.
  var dataPreprocessor: any DataPreprocessor { get }
  /// The methods that may be answered without a body.
  var emptyRequestMethods: Set<HTTPMethod> { get }
  /// The statuses that may come without a body.
  var emptyResponseCodes: Set<Int> { get }
}

extension ResponseSerializer {
  /// Leaves the body as it is.
  public static var defaultDataPreprocessor: any DataPreprocessor { PassthroughPreprocessor() }
  /// HEAD.
  public static var defaultEmptyRequestMethods: Set<HTTPMethod> { [.head] }
  /// 204 and 205.
  public static var defaultEmptyResponseCodes: Set<Int> { [204, 205] }

  public var dataPreprocessor: any DataPreprocessor { Self.defaultDataPreprocessor }
  public var emptyRequestMethods: Set<HTTPMethod> { Self.defaultEmptyRequestMethods }
  public var emptyResponseCodes: Set<Int> { Self.defaultEmptyResponseCodes }

  /// Whether the request's method allows an empty body; `nil` without a request.
  public func requestAllowsEmptyResponseData(_ request: URLRequest?) -> Bool? {
    request.map { emptyRequestMethods.contains($0.method) }
  }

  /// Whether the response's status allows an empty body; `nil` without a response.
  public func responseAllowsEmptyResponseData(_ response: HTTPURLResponse?) -> Bool? {
    response.map { emptyResponseCodes.contains($0.statusCode) }
  }

  /// Whether either allows an empty body.
  public func emptyResponseAllowed(forRequest request: URLRequest?, response: HTTPURLResponse?) -> Bool {
    requestAllowsEmptyResponseData(request) == true || responseAllowsEmptyResponseData(response) == true
  }

  /// The body, preprocessed; `nil` when it is empty and may be. Throws `error` if it is not `nil`, and throws if the body is
  /// empty but must not be.
  func body(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Data? {
    if let error { throw error }
    guard let data, !data.isEmpty else {
      guard emptyResponseAllowed(forRequest: request, response: response) else {
        throw TapelineError.responseSerializationFailed(reason: .inputDataNilOrZeroLength)
      }
      return nil
    }
    return try dataPreprocessor.preprocess(data)
  }
}

extension DownloadResponseSerializerProtocol where Self: DataResponseSerializerProtocol {
  /// The value of the file's content, read as a whole.
  ///
  /// - Parameters:
  ///   - request: the request that was sent.
  ///   - response: the server's head.
  ///   - fileURL: the file.
  ///   - error: why it failed.
  public func serializeDownload(
    request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
  ) throws -> SerializedObject {
    if let error { throw error }
    guard let fileURL else { throw TapelineError.responseSerializationFailed(reason: .inputFileNil) }
    let data: Data
    do {
      data = try Data(contentsOf: fileURL)
    } catch {
      throw TapelineError.responseSerializationFailed(reason: .inputFileReadFailed(at: fileURL))
    }
    return try serialize(request: request, response: response, data: data, error: nil)
  }
}

extension Error {
  /// A serializer's error as a `TapelineError`.
  package var asSerializationError: TapelineError {
    asTapelineError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: self)))
  }
}

/// Changes a body before it is made into a value.
public protocol DataPreprocessor: Sendable {
  /// The body that is made into a value in place of `data`.
  func preprocess(_ data: Data) throws -> Data
}

/// Leaves the body as it is.
public struct PassthroughPreprocessor: DataPreprocessor {
  /// It has no options.
  public init() {}

  public func preprocess(_ data: Data) -> Data { data }
}

/// Takes away the line `)]}',` that some servers put before JSON to keep browsers from running it.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
  private static let prefix = Data(")]}',\n".utf8)

  /// It has no options.
  public init() {}

  public func preprocess(_ data: Data) -> Data {
    data.starts(with: Self.prefix) ? Data(data.dropFirst(Self.prefix.count)) : data
  }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
  /// Leaves the body as it is.
  public static var passthrough: PassthroughPreprocessor { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
  /// Takes away the line `)]}',`.
  public static var googleXSSI: GoogleXSSIPreprocessor { GoogleXSSIPreprocessor() }
}

/// Makes a value of any `Decodable` type from data.
public protocol DataDecoder: Sendable {
  /// The value that `data` decodes to.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

/// A type that has a value for a response without a body.
public protocol EmptyResponse: Sendable {
  /// The value for no body.
  static func emptyValue() -> Self
}

/// Nothing: for responses whose body nobody needs.
public struct Empty: Codable, Hashable, EmptyResponse {
  /// The only value.
  public static let value = Empty()

  public static func emptyValue() -> Empty { value }
}
