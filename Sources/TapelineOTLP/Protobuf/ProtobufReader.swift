/// Reads the fields of a message of Protocol Buffers, one after the other. The bytes are a peer's: anything may be wrong with
/// them.
struct ProtobufReader {
  /// The value of a field that we look at.
  enum Value {
    case varint(UInt64)
    /// The bytes of a string or a message.
    case delimited(ArraySlice<UInt8>)
    /// A field of a fixed size, which no message that we read has.
    case fixed
  }

  /// Bytes that have not been read.
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// The next field; `nil` at the end, and where the bytes are not a message.
  mutating func next() -> (field: UInt64, value: Value)? {
    guard let tag = varint(), tag >> 3 > 0, let type = ProtobufWireType(rawValue: tag & 7) else { return nil }
    switch type {
    case .varint: return varint().map { (tag >> 3, .varint($0)) }
    case .fixed64: return skip(8) ? (tag >> 3, .fixed) : nil
    case .fixed32: return skip(4) ? (tag >> 3, .fixed) : nil
    case .delimited:
      guard let length = varint(), length <= UInt64(rest.count) else { return nil }
      defer { rest = rest.dropFirst(Int(length)) }
      return (tag >> 3, .delimited(rest.prefix(Int(length))))
    }
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard rest.count >= count else { return false }
    rest = rest.dropFirst(count)
    return true
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
