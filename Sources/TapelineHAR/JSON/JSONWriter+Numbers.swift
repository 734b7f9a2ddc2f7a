extension JSONWriter {
  /// Appends a whole number.
  public mutating func append(integer value: Int) {
    append(integer: Int64(value))
  }

  /// Appends a whole number.
  public mutating func append(integer value: Int64) {
    if value < 0 { append(octet: UInt8(ascii: "-")) }
    append(integer: value.magnitude)
  }

  /// Appends a whole number.
  public mutating func append(integer value: UInt64) {
    reserve(20)
    let digits = Self.digitCount(of: value)
    unsafe writeDigits(value, count: digits, at: count)
    count += digits
  }

  /// Appends microseconds as milliseconds with exactly three decimals, in integers: what is printed is what was measured.
  public mutating func append(millisecondsOf microseconds: Int64) {
    if microseconds < 0 { append(octet: UInt8(ascii: "-")) }
    let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
    append(integer: whole)
    reserve(4)
    unsafe base[count] = UInt8(ascii: ".")
    unsafe writeDigits(fraction, count: 3, at: count + 1)
    count += 4
  }

  /// Appends exactly `digits` decimal digits, with zeros in front: the parts of a date.
  public mutating func append(padded value: UInt64, digits: Int) {
    reserve(digits)
    unsafe writeDigits(value, count: digits, at: count)
    count += digits
  }

  /// Appends the shortest text that reads back as `value`. JSON has no infinities and no NaN: they are written as 0.
  public mutating func append(number value: Double) {
    if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 {
      append(integer: integer)
    } else {
      append(plain: value.isFinite ? value.description : "0")
    }
  }

  /// Appends text that is already JSON.
  mutating func append(plain json: String) {
    var json = json
    json.withUTF8 { unsafe append(json: Span(_unsafeElements: $0)) }
  }

  @unsafe
  private mutating func writeDigits(_ value: UInt64, count digits: Int, at offset: Int) {
    var rest = value
    var index = offset + digits
    while index > offset {
      index -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      unsafe base[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    }
  }

  private static func digitCount(of value: UInt64) -> Int {
    var digits = 1
    var bound: UInt64 = 10
    while value >= bound {
      digits += 1
      let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = next
    }
    return digits
  }
}
