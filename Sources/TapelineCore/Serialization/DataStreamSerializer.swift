public import FoundationEssentials

/// Makes each piece of a streamed body into a value.
public protocol DataStreamSerializer<SerializedObject>: Sendable {
  /// What a piece is made into.
  associatedtype SerializedObject: Sendable

  /// What the piece is made into.
  func serialize(_ data: Data) throws -> SerializedObject
}

/// The piece itself.
public struct PassthroughStreamSerializer: DataStreamSerializer {
  /// There is nothing to choose.
  public init() {}

  public func serialize(_ data: Data) -> Data { data }
}

/// The piece as UTF-8, by itself: a character that is cut between two pieces becomes U+FFFD in both.
public struct StringStreamSerializer: DataStreamSerializer {
  /// There is nothing to choose.
  public init() {}

  public func serialize(_ data: Data) -> String {
    String(decoding: data, as: UTF8.self)
  }
}

/// The piece, which is one whole message, as a value of a type of the caller's.
public struct DecodableStreamSerializer<Value: Decodable & Sendable>: DataStreamSerializer {
  /// Makes the values.
  public let decoder: any DataDecoder
  /// Changes each piece before.
  public let dataPreprocessor: any DataPreprocessor

  /// A serializer that decodes with `decoder` what `dataPreprocessor` makes of a piece.
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
