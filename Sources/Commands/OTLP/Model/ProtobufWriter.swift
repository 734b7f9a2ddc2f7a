internal import TapelineInspect

/// Writes a message of Protocol Buffers: fields in the order of the calls, nested messages in place.
///
/// A field of a scalar type that has its default value is left out, as in proto3.
package struct ProtobufWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// A `uint64`, or a non-negative value of `int64` or an enumeration.
  package mutating func append(_ field: Int, varint value: UInt64) {
    guard value != 0 else { return }
    append(field, .varint)
    Self.append(value, to: &bytes)
  }

  /// A `fixed64`.
  package mutating func append(_ field: Int, fixed64 value: UInt64) {
    guard value != 0 else { return }
    append(field, .fixed64)
    append(littleEndian: value)
  }

  /// A `fixed32`.
  package mutating func append(_ field: Int, fixed32 value: UInt32) {
    guard value != 0 else { return }
    append(field, .fixed32)
    append(littleEndian: value)
  }

  /// A `string`.
  package mutating func append(_ field: Int, string text: String) {
    guard !text.isEmpty else { return }
    append(field, member: text)
  }

  /// A `bytes`, the big-endian form of `words`.
  package mutating func append(_ field: Int, words: UInt64...) {
    append(field, .delimited)
    Self.append(UInt64(words.count * 8), to: &bytes)
    for word in words {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
  }

  /// A nested message, which is there even if it is empty.
  package mutating func append(_ field: Int, message write: (inout ProtobufWriter) -> Void) {
    append(field, .delimited)
    // One byte suffices for most lengths; a longer length moves what was written.
    let place = bytes.count
    bytes.append(0)
    write(&self)
    let count = bytes.count - place - 1
    if count < 0x80 {
      bytes[place] = UInt8(count)
    } else {
      var length: [UInt8] = []
      Self.append(UInt64(count), to: &length)
      bytes.replaceSubrange(place...place, with: length)
    }
  }

  /// A text that is there even if it is empty: a member of a `oneof`.
  package mutating func append(_ field: Int, member text: String) {
    append(field, .delimited)
    Self.append(UInt64(text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  /// A number that is there even if it is 0: a member of a `oneof`.
  package mutating func append(_ field: Int, member value: Int64) {
    append(field, .varint)
    Self.append(UInt64(bitPattern: value), to: &bytes)
  }

  /// A `double` that is there even if it is 0: an `optional` field.
  package mutating func append(_ field: Int, double value: Double) {
    append(field, .fixed64)
    append(littleEndian: value.bitPattern)
  }

  /// A `sint32`.
  package mutating func append(_ field: Int, zigzag value: Int) {
    append(field, varint: UInt64(bitPattern: Int64(value << 1 ^ value >> (Int.bitWidth - 1))))
  }

  /// A repeated `uint64`, packed.
  package mutating func append(_ field: Int, packed values: [UInt64]) {
    guard !values.isEmpty else { return }
    append(field) { writer in
      for value in values { Self.append(value, to: &writer.bytes) }
    }
  }

  /// Fields that another writer has written.
  package mutating func append(fields: [UInt8]) {
    bytes.append(contentsOf: fields)
  }

  private mutating func append(_ field: Int, _ type: ProtobufWireType) {
    Self.append(UInt64(field) << 3 | type.rawValue, to: &bytes)
  }

  private mutating func append(littleEndian value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
