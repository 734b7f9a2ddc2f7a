internal import TapelineBase

// Hot path: a log has a dozen numbers per entry, and reading them needs no `String`.

extension JSONParser {
  /// Takes the text of the number that starts at the position (RFC 8259, section 6).
  mutating func readNumber() throws(HARReadError) -> String {
    let start = position
    try skipNumber()
    return text(in: start..<position)
  }

  mutating func skipNumber() throws(HARReadError) {
    _ = try takeNumber()
  }

  /// Takes a number, rounded to the nearest `Double`.
  mutating func readDouble() throws(HARReadError) -> Double {
    let start = position
    if let decimal = try takeNumber(), decimal.digits < 1 << 53 {
      // Both are exact, so the quotient is the nearest `Double`.
      let magnitude = Double(decimal.digits) / Self.powersOfTen[decimal.decimals]
      return decimal.isNegative ? -magnitude : magnitude
    }
    // A number beyond all `Double`s becomes the largest `Double`: JSON cannot write infinity.
    let value = HARNumber(checked: text(in: start..<position)).double
    return min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// Takes a number; `nil` if it is not a whole number in the range of `Int`.
  mutating func readInteger() throws(HARReadError) -> Int? {
    let start = position
    if let decimal = try takeNumber(), decimal.decimals == 0 { return decimal.isNegative ? -decimal.digits : decimal.digits }
    return HARNumber(checked: text(in: start..<position)).integer
  }

  /// A whole number of decimal fractions.
  private struct Decimal {
    let isNegative: Bool
    let digits: Int
    let decimals: Int
  }

  /// Takes a number; `nil` when it has an exponent or too many digits.
  @inline(__always)
  private mutating func takeNumber() throws(HARReadError) -> Decimal? {
    var digits = 0
    let isNegative = position < end && byte(at: position) == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let whole = position
    var count = takeDigits(&digits)
    guard count > 0 else { throw failure(.invalidNumber) }
    if count > 1, byte(at: whole) == UInt8(ascii: "0") {
      position = whole
      throw failure(.invalidNumber)
    }
    var decimals = 0
    if position < end, byte(at: position) == UInt8(ascii: ".") {
      position += 1
      decimals = takeDigits(&digits)
      guard decimals > 0 else { throw failure(.invalidNumber) }
      count += decimals
    }
    if position < end, byte(at: position) | 0x20 == UInt8(ascii: "e") {
      try skipExponent()
      return nil
    }
    return count <= Self.digitLimit ? Decimal(isNegative: isNegative, digits: digits, decimals: decimals) : nil
  }

  private mutating func skipExponent() throws(HARReadError) {
    position += 1
    if position < end, byte(at: position) == UInt8(ascii: "+") || byte(at: position) == UInt8(ascii: "-") { position += 1 }
    var digits = 0
    guard takeDigits(&digits) > 0 else { throw failure(.invalidNumber) }
  }

  /// So many digits are always in the range of `Int`.
  private static var digitLimit: Int { 18 }

  private static var powersOfTen: InlineArray<19, Double> {
    [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18]
  }

  /// Takes the digits at the position, appends them to `number`, and returns how many there are. With more than `digitLimit` of
  /// them, the number is meaningless.
  @inline(__always)
  private mutating func takeDigits(_ number: inout Int) -> Int {
    let start = position
    while position < end, Byte.isDigit(byte(at: position)) {
      number = number &* 10 &+ Int(byte(at: position) &- UInt8(ascii: "0"))
      position += 1
    }
    return position - start
  }
}
