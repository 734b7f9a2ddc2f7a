internal import TapelineHTTP

/// The fields of a head that a proxy must send on as they came, byte by byte, in their order.
struct EndToEndFields: Equatable {
  private(set) var lines: [[UInt8]] = []

  /// - Parameter isLeftOut: of the line at an index.
  init(of fields: HeaderFields, without isLeftOut: (Int) -> Bool) {
    for index in fields.indices where !isLeftOut(index) {
      lines.append(fields.bytes[fields.nameRange(at: index)] + [UInt8(ascii: ":")] + fields.bytes[fields.valueRange(at: index)])
    }
  }

  /// Takes off the date that was added; whether it is there.
  mutating func removeDate(_ date: String) -> Bool {
    lines.popLast() == Array("Date:\(date)".utf8)
  }
}
