extension JSONWriter {
  // MARK: Numbers

  /// Appends a whole number.
  public mutating func append(integer value: Int) {
    append(integer: Int64(value))
  }

  /// Appends a whole number.
  public mutating func append(integer value: Int64) {
    if value < 0 { append(byte: UInt8(ascii: "-")) }
    append(integer: value.magnitude)
  }

  /// Appends `thousandths / 1000` with exactly three decimals: microseconds as milliseconds. The arithmetic is in integers, so
  /// nothing is rounded.
  public mutating func append(thousandths: Int64) {
    append(fixed: thousandths, parts: 1_000, digits: 3)
  }

  /// Appends `millionths / 1000000` with exactly six decimals.
  public mutating func append(millionths: Int64) {
    append(fixed: millionths, parts: 1_000_000, digits: 6)
  }

  @inline(__always)
  private mutating func append(fixed value: Int64, parts: UInt64, digits: Int) {
    if value < 0 { append(byte: UInt8(ascii: "-")) }
    let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: parts)
    append(integer: whole)
    append(byte: UInt8(ascii: "."))
    append(digits: fraction, count: digits)
  }

  /// Appends the shortest text that reads back as `value`. JSON has no infinities and no NaN: they are written as 0.
  public mutating func append(number value: Double) {
    if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 {
      append(integer: integer)
    } else {
      append(plain: value.isFinite ? value.description : "0")
    }
  }

  // MARK: Any value

  /// Appends any JSON value.
  public mutating func append(value: HARValue) {
    switch value {
    case .null: append(json: "null")
    case .bool(true): append(json: "true")
    case .bool(false): append(json: "false")
    case .number(let number): append(plain: number.text)
    case .string(let text): append(string: text)
    case .array(let elements):
      append(byte: UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { append(byte: UInt8(ascii: ",")) }
        append(value: element)
      }
      append(byte: UInt8(ascii: "]"))
    case .object(let object): append(object: object)
    }
  }

  /// Appends an object, its members in order.
  public mutating func append(object: HARObject) {
    append(byte: UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { append(byte: UInt8(ascii: ",")) }
      append(string: member.name)
      append(byte: UInt8(ascii: ":"))
      append(value: member.value)
    }
    append(byte: UInt8(ascii: "}"))
  }
}

extension Span<UInt8> {
  /// Whether this is large and has so many control bytes, six bytes each in JSON, that base64 is smaller.
  package var isBulkyInJSON: Bool {
    guard count >= 1 << 20 else { return false }
    // Except for HTAB, LF and CR, for which JSON has short escapes.
    var controls = 0
    for index in indices {
      switch self[index] {
      case 0x09, 0x0A, 0x0D: break
      case 0..<0x20: controls += 1
      default: break
      }
    }
    return controls > count / 4
  }
}
