internal import TapelineHTTP

/// The fields of a head that a proxy must forward unchanged, byte by byte, in their order.
struct EndToEndFields: Equatable {
  private(set) var lines: [[UInt8]] = []

  /// - Parameter isLeftOut: whether to leave out the line at an index.
  init(of fields: HeaderFields, without isLeftOut: (Int) -> Bool) {
    for index in fields.indices where !isLeftOut(index) {
      lines.append(fields.bytes[fields.nameRange(at: index)] + [UInt8(ascii: ":")] + fields.bytes[fields.valueRange(at: index)])
    }
  }

  /// Removes the date that was added; returns whether it was there.
  mutating func removeDate(_ date: String) -> Bool {
    lines.popLast() == Array("Date:\(date)".utf8)
  }
}
