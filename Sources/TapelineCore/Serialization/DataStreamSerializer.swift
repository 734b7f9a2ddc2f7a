public import FoundationEssentials

/// Makes each piece of a streamed body into a value.
public protocol DataStreamSerializer<SerializedObject>: Sendable {
  /// The type that a piece is made into.
  associatedtype SerializedObject: Sendable

  /// The value made from the piece.
  func serialize(_ data: Data) throws -> SerializedObject
}

/// The piece itself.
public struct PassthroughStreamSerializer: DataStreamSerializer {
  /// It has no options.
  public init() {}

  public func serialize(_ data: Data) -> Data { data }
}

/// The piece as UTF-8, by itself: a character that is cut between two pieces becomes U+FFFD in both.
public struct StringStreamSerializer: DataStreamSerializer {
  /// It has no options.
  public init() {}

  public func serialize(_ data: Data) -> String {
    String(decoding: data, as: UTF8.self)
  }
}

/// The piece, which must be one whole message, as a value of the caller's type.
public struct DecodableStreamSerializer<Value: Decodable & Sendable>: DataStreamSerializer {
  /// Makes the values.
  public let decoder: any DataDecoder
  /// Changes each piece before it is decoded.
  public let dataPreprocessor: any DataPreprocessor

  /// A serializer that passes each piece through `dataPreprocessor` and decodes the result with `decoder`.
  public init(decoder: any DataDecoder = JSONDecoder(), dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor()) {
    self.decoder = decoder
    self.dataPreprocessor = dataPreprocessor
  }

  public func serialize(_ data: Data) throws -> Value {
    let body = try dataPreprocessor.preprocess(data)
    do {
      return try decoder.decode(Value.self, from: body)
    } catch {
      throw TapelineError.responseSerializationFailed(reason: .decodingFailed(error: error))
    }
  }
}
