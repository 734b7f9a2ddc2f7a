internal import TapelineText

// Hot path: a log has a dozen numbers per entry, and reading them needs no `String`.

extension JSONParser {
  /// Takes the text of the number that starts at the position (RFC 8259, section 6).
  mutating func readNumber() throws(HARReadError) -> String {
    let start = position
    try skipNumber()
    return text(in: start..<position)
  }

  mutating func skipNumber() throws(HARReadError) {
    if position < end, byte(at: position) == UInt8(ascii: "-") { position += 1 }
    let digits = position
    guard skipDigits() > 0 else { throw failure(.invalidNumber) }
    if position - digits > 1, byte(at: digits) == UInt8(ascii: "0") {
      position = digits
      throw failure(.invalidNumber)
    }
    if position < end, byte(at: position) == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() > 0 else { throw failure(.invalidNumber) }
    }
    if position < end, byte(at: position) | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < end, byte(at: position) == UInt8(ascii: "+") || byte(at: position) == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() > 0 else { throw failure(.invalidNumber) }
    }
  }

  /// Takes a number, rounded to the nearest `Double`.
  mutating func readDouble() throws(HARReadError) -> Double {
    let start = position
    try skipNumber()
    if let decimal = decimal(in: start..<position), decimal.digits < 1 << 53 {
      // Both are exact, so the quotient is the nearest `Double`.
      let magnitude = Double(decimal.digits) / Self.powersOfTen[decimal.decimals]
      return decimal.isNegative ? -magnitude : magnitude
    }
    position = start
    // A number beyond all `Double`s becomes the largest `Double`: JSON cannot write infinity.
    let value = HARNumber(checked: try readNumber()).double
    return min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// Takes a number; `nil` if it is not a whole number in the range of `Int`.
  mutating func readInteger() throws(HARReadError) -> Int? {
    let start = position
    try skipNumber()
    if let decimal = decimal(in: start..<position), decimal.decimals == 0 {
      return decimal.isNegative ? -decimal.digits : decimal.digits
    }
    position = start
    return HARNumber(checked: try readNumber()).integer
  }

  /// A checked number as a whole number of decimal fractions; `nil` when it has an exponent or too many digits.
  private func decimal(in range: Range<Int>) -> (isNegative: Bool, digits: Int, decimals: Int)? {
    guard range.count <= 19 else { return nil }
    var digits = 0
    var decimals = 0
    var hasPoint = false
    let isNegative = byte(at: range.lowerBound) == UInt8(ascii: "-")
    for index in range.lowerBound + (isNegative ? 1 : 0)..<range.upperBound {
      let byte = byte(at: index)
      if byte == UInt8(ascii: ".") {
        hasPoint = true
        continue
      }
      guard Byte.isDigit(byte) else { return nil }
      // Nineteen digits may be more than an `Int` holds.
      let (tenfold, overflow) = digits.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tenfold.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      if overflow || carry { return nil }
      digits = sum
      if hasPoint { decimals += 1 }
    }
    return (isNegative, digits, decimals)
  }

  private static var powersOfTen: InlineArray<19, Double> {
    [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18]
  }

  @inline(__always)
  private mutating func skipDigits() -> Int {
    let start = position
    while position < end, Byte.isDigit(byte(at: position)) { position += 1 }
    return position - start
  }
}
