/// Where one field line is in its bytes.
struct FieldLine: Sendable {
  private let name: ByteRange
  private let value: ByteRange
  /// The end of the line with its CRLF; 0 when the line must not be sent on as it came.
  private let end: UInt32
  let knownName: FieldName

  /// `end` is `nil` for a line that was mended: its name and value are valid, the bytes around them are not.
  init(name: Range<Int>, value: Range<Int>, knownName: FieldName, end: Int?) {
    self.name = ByteRange(name)
    self.value = ByteRange(value)
    self.end = UInt32(truncatingIfNeeded: end ?? 0)
    self.knownName = knownName
  }

  var nameRange: Range<Int> { name.range }

  var valueRange: Range<Int> { value.range }

  /// The whole line with its CRLF, if it can be sent on as it is.
  var verbatimRange: Range<Int>? { end == 0 ? nil : name.range.lowerBound..<Int(end) }
}
