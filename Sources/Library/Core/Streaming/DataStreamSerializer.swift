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

extension DataStreamSerializer where Self == PassthroughStreamSerializer {
  /// The piece itself.
  public static var passthrough: PassthroughStreamSerializer { PassthroughStreamSerializer() }
}

extension DataStreamSerializer where Self == StringStreamSerializer {
  /// The piece as UTF-8.
  public static var string: StringStreamSerializer { StringStreamSerializer() }
}

extension DataStreamSerializer {
  /// The piece, which must be one whole message, as a value of `type`.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - decoder: makes the values.
  ///   - dataPreprocessor: changes each piece before it is decoded.
  public static func decodable<Value: Decodable & Sendable>(
    of type: Value.Type, decoder: any DataDecoder = JSONDecoder(),
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor()
  ) -> DecodableStreamSerializer<Value> where Self == DecodableStreamSerializer<Value> {
    DecodableStreamSerializer(decoder: decoder, dataPreprocessor: dataPreprocessor)
  }
}

/// Makes text from UTF-8 that comes in pieces, cut anywhere: an incomplete character waits for the next piece.
///
/// Invalid UTF-8 becomes U+FFFD, as in `String(decoding:as:)`.
package struct IncrementalUTF8Decoder: Sendable {
  /// The beginning of a character, at most three bytes.
  private var pending: [UInt8] = []

  package init() {}

  /// The text of all characters that are complete by now.
  package mutating func decode(_ bytes: Span<UInt8>) -> String {
    var text = pending
    text.reserveCapacity(pending.count + bytes.count)
    for index in bytes.indices { text.append(bytes[index]) }
    let whole = text.count - Self.unfinishedCount(of: text)
    pending = Array(text[whole...])
    return String(decoding: text[..<whole], as: UTF8.self)
  }

  /// The text of the remaining bytes, which no more bytes will complete.
  package mutating func finish() -> String {
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self)
  }

  /// How many bytes at the end begin a character that needs more.
  private static func unfinishedCount(of bytes: [UInt8]) -> Int {
    for (distance, byte) in bytes.reversed().prefix(3).enumerated() where byte & 0xC0 != 0x80 {
      let length =
        switch byte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
      return length > distance + 1 ? distance + 1 : 0
    }
    return 0
  }
}
