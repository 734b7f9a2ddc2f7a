internal import TapelineText

/// The value of Content-Length (RFC 9110 8.6).
enum ContentLength {
  /// One line with one decimal number. A repetition of the same number is refused too: not every reader would accept it.
  static func parse(_ fields: HeaderFields, in part: HTTPParseError.Part) throws(HTTPParseError) -> UInt64 {
    guard isSingle(fields) else { throw HTTPParseError(.severalContentLengths, in: part) }
    guard let length = firstNumber(in: fields) else { throw HTTPParseError(.invalidContentLength, in: part) }
    return length
  }

  /// Whether `parse` would find a number.
  static func isValid(in fields: HeaderFields) -> Bool {
    isSingle(fields) && firstNumber(in: fields) != nil
  }

  static func isZero(in fields: HeaderFields) -> Bool {
    isSingle(fields) && firstNumber(in: fields) == 0
  }

  private static func isSingle(_ fields: HeaderFields) -> Bool {
    fields.indices.count { fields.knownName(at: $0) == .contentLength } == 1
  }

  private static func firstNumber(in fields: HeaderFields) -> UInt64? {
    guard let index = fields.firstIndex(of: .contentLength) else { return nil }
    return number(fields.bytes.span.extracting(fields.valueRange(at: index)))
  }

  /// Up to 19 digits and at most 2⁶³ − 1, so that no reader's signed 64-bit number overflows.
  private static func number(_ digits: Span<UInt8>) -> UInt64? {
    guard (1...19).contains(digits.count) else { return nil }
    var number: UInt64 = 0
    for index in digits.indices {
      guard Byte.isDigit(digits[index]) else { return nil }
      number = number * 10 + UInt64(digits[index] - UInt8(ascii: "0"))
    }
    return number <= UInt64(Int64.max) ? number : nil
  }
}
