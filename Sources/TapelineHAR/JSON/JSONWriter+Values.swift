extension JSONWriter {
  /// Appends a whole number.
  public mutating func append(integer value: Int) {
    append(integer: Int64(value))
  }

  /// Appends a whole number.
  public mutating func append(integer value: Int64) {
    if value < 0 { append(byte: UInt8(ascii: "-")) }
    append(integer: value.magnitude)
  }

  /// Appends a whole number.
  public mutating func append(integer value: UInt64) {
    reserve(20)
    let digits = Self.digitCount(of: value)
    unsafe writeDigits(value, count: digits, at: written)
    written += digits
  }

  /// Appends microseconds as milliseconds with exactly three decimals. The arithmetic is in integers, so nothing is rounded.
  public mutating func append(millisecondsOf microseconds: Int64) {
    if microseconds < 0 { append(byte: UInt8(ascii: "-")) }
    let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
    append(integer: whole)
    reserve(4)
    unsafe base[written] = UInt8(ascii: ".")
    unsafe writeDigits(fraction, count: 3, at: written + 1)
    written += 4
  }

  /// Appends exactly `digits` decimal digits, with leading zeros: the parts of a date.
  public mutating func append(padded value: UInt64, digits: Int) {
    reserve(digits)
    unsafe writeDigits(value, count: digits, at: written)
    written += digits
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
  package mutating func append(plain json: String) {
    var json = json
    json.withUTF8 { unsafe append(json: Span(_unsafeElements: $0)) }
  }

  @unsafe
  private mutating func writeDigits(_ value: UInt64, count digits: Int, at offset: Int) {
    var rest = value
    var index = offset + digits
    while index - offset >= 2 {
      index -= 2
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      let digits = unsafe UnsafeRawPointer(Self.pairs.utf8Start).loadUnaligned(
        fromByteOffset: Int(truncatingIfNeeded: pair) * 2, as: UInt16.self)
      unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: digits, as: UInt16.self)
      rest = quotient
    }
    if index > offset { unsafe base[offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10) }
  }

  /// `00` to `99`: two digits for one division.
  private static var pairs: StaticString {
    """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """
  }

  private static func digitCount(of value: UInt64) -> Int {
    var digits = 1
    var bound: UInt64 = 10
    while digits < 20, value >= bound {
      digits += 1
      bound &*= 10
    }
    return digits
  }
}
