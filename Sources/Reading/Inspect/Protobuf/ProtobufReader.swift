/// Reads the fields of a message of Protocol Buffers, one after the other. The bytes are a peer's: anything may be wrong with
/// them.
package struct ProtobufReader {
  /// The value of a field, by its layout.
  package enum Value: Hashable {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    /// The bytes of a string, a message or packed numbers.
    case delimited(ArraySlice<UInt8>)
  }

  /// Bytes that have not been read.
  package private(set) var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// The next field; `nil` at the end, and where the bytes are not a message: then `rest` begins there.
  package mutating func next() -> (field: UInt64, value: Value)? {
    let start = rest
    if let tag = varint(), tag >> 3 > 0, let type = ProtobufWireType(rawValue: tag & 7), let value = value(type) {
      return (tag >> 3, value)
    }
    rest = start
    return nil
  }

  /// The next number without a field, among packed ones.
  package mutating func value(_ type: ProtobufWireType) -> Value? {
    switch type {
    case .varint: varint().map { .varint($0) }
    case .fixed64: littleEndian(8).map { .fixed64($0) }
    case .fixed32: littleEndian(4).map { .fixed32(UInt32(truncatingIfNeeded: $0)) }
    case .delimited: varint().flatMap { Int(exactly: $0) }.flatMap { rest.take($0) }.map { .delimited($0) }
    }
  }

  private mutating func littleEndian(_ count: Int) -> UInt64? {
    rest.take(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }
}

/// How the value of a field is laid out (protobuf.dev, Encoding, "Message Structure").
package enum ProtobufWireType: UInt64 {
  case varint = 0
  case fixed64 = 1
  case delimited = 2
  case fixed32 = 5
}
