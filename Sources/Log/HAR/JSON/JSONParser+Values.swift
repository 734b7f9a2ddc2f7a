// Hot path: most bytes of a log are in values that nobody asked for, and a check passes all of them through here.

extension JSONParser {
  func failure(_ kind: HARReadError.Kind) -> HARReadError {
    HARReadError(kind: position < end ? kind : .unexpectedEnd, offset: origin + position)
  }

  /// The next byte that is not white space, without taking it.
  @inline(__always)
  mutating func peek() throws(HARReadError) -> UInt8 {
    while position < end {
      let byte = byte(at: position)
      if byte > 0x20 { return byte }
      guard JSONBytes.isWhiteSpace(byte) else { return byte }
      position += 1
    }
    throw failure(.unexpectedEnd)
  }

  /// Takes `byte` when it is next.
  @inline(__always)
  mutating func take(_ byte: UInt8) throws(HARReadError) -> Bool {
    guard try peek() == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  mutating func expect(_ byte: UInt8, _ what: StaticString) throws(HARReadError) {
    guard try take(byte) else { throw failure(expected: what) }
  }

  @inline(never)
  private func failure(expected what: StaticString) -> HARReadError {
    failure(.expected(what.description))
  }

  /// Takes an object. Calls `member` with each member's name, and the parser before the member's value; `member` takes the value.
  @inline(__always)
  mutating func readObject(
    _ member: (inout JSONParser, MemberName) throws(HARReadError) -> Void
  ) throws(HARReadError) {
    try expect(UInt8(ascii: "{"), "an object")
    try enter()
    if try !take(UInt8(ascii: "}")) {
      repeat {
        guard try peek() == UInt8(ascii: "\"") else { throw failure(.expected("a member's name")) }
        let name = try readName()
        try expect(UInt8(ascii: ":"), "a colon")
        try member(&self, name)
      } while try take(UInt8(ascii: ","))
      try expect(UInt8(ascii: "}"), "a comma or the end of the object")
    }
    depth -= 1
  }

  /// Takes an array; `element` takes each of its values.
  @inline(__always)
  mutating func readArray(_ element: (inout JSONParser) throws(HARReadError) -> Void) throws(HARReadError) {
    try expect(UInt8(ascii: "["), "an array")
    try enter()
    if try !take(UInt8(ascii: "]")) {
      repeat {
        try element(&self)
      } while try take(UInt8(ascii: ","))
      try expect(UInt8(ascii: "]"), "a comma or the end of the array")
    }
    depth -= 1
  }

  /// Refuses anything but white space after the value.
  mutating func expectEnd() throws(HARReadError) {
    while position < end {
      guard JSONBytes.isWhiteSpace(byte(at: position)) else { throw failure(.expected("the end of the text")) }
      position += 1
    }
  }

  private mutating func enter() throws(HARReadError) {
    depth += 1
    if depth > Self.depthLimit { throw failure(.tooDeep) }
  }

  /// Skips the object or array at the position if it is nested too deeply; returns whether it did.
  mutating func skipTooDeep() throws(HARReadError) -> Bool {
    guard depth >= Self.depthLimit else { return false }
    try skipValue()
    oddities.insert(.tooDeep)
    return true
  }

  /// Restores position and depth after a refused value.
  mutating func restore(to earlier: JSONParser) {
    position = earlier.position
    depth = earlier.depth
  }

  /// Takes any value; one that is nested too deeply becomes null.
  mutating func readValue() throws(HARReadError) -> HARValue {
    switch try peek() {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "{"):
      if try skipTooDeep() { return .null }
      var members: [HARObject.Member] = []
      try readObject { (parser, name) throws(HARReadError) in
        members.append(HARObject.Member(name: name.text, value: try parser.readValue()))
      }
      return .object(HARObject(members: members))
    case UInt8(ascii: "["):
      if try skipTooDeep() { return .null }
      var elements: [HARValue] = []
      try readArray { (parser) throws(HARReadError) in
        elements.append(try parser.readValue())
      }
      return .array(elements)
    case UInt8(ascii: "t"):
      try expectWord("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try expectWord("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try expectWord("null")
      return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .number(HARNumber(checked: try readNumber()))
    default:
      throw failure(.expected("a value"))
    }
  }

  // MARK: Skipping

  /// Skips any value without keeping any of it.
  ///
  /// Inside of an object or array it only tells strings from brackets: skipped values are not checked.
  mutating func skipValue() throws(HARReadError) {
    switch try peek() {
    case UInt8(ascii: "\""):
      position += 1
      guard skipToEndOfString() else { throw failure(.unexpectedEnd) }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      position += 1
      guard skipToEndOfContainer() else { throw failure(.unexpectedEnd) }
    case UInt8(ascii: "t"): try expectWord("true")
    case UInt8(ascii: "f"): try expectWord("false")
    case UInt8(ascii: "n"): try expectWord("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
    default: throw failure(.expected("a value"))
    }
  }

  // MARK: Checking

  /// Skips any value, and checks that all of it is JSON, without oddities.
  mutating func checkValue() throws(HARReadError) {
    switch try peek() {
    case UInt8(ascii: "\""): _ = try checkString()
    case UInt8(ascii: "{"): try readObject { (parser, _) throws(HARReadError) in try parser.checkValue() }
    case UInt8(ascii: "["): try readArray { (parser) throws(HARReadError) in try parser.checkValue() }
    case UInt8(ascii: "t"): try expectWord("true")
    case UInt8(ascii: "f"): try expectWord("false")
    case UInt8(ascii: "n"): try expectWord("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
    default: throw failure(.expected("a value"))
    }
  }

  /// Skips the string that starts at the position, which must have no oddities but bytes that are not UTF-8; returns the range
  /// between its quotes.
  mutating func checkString() throws(HARReadError) -> Range<Int> {
    let start = position + 1
    position = start
    while true {
      position = nextSpecial(from: position)
      guard position < end else { throw failure(.unexpectedEnd) }
      switch byte(at: position) {
      case UInt8(ascii: "\""):
        position += 1
        return start..<position - 1
      case UInt8(ascii: "\\"): try checkEscape()
      default: throw failure(.invalidString)
      }
    }
  }

  private mutating func checkEscape() throws(HARReadError) {
    position += 1
    guard position < end else { throw failure(.unexpectedEnd) }
    switch byte(at: position) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      _ = try readUnicodeEscape()
      guard !oddities.contains(.loneSurrogate) else { throw failure(.invalidString) }
    default: throw failure(.invalidString)
    }
  }

  /// Whether the bytes are ASCII and have no escapes.
  func isPlain(_ range: Range<Int>) -> Bool {
    for index in range where byte(at: index) >= 0x80 || byte(at: index) == UInt8(ascii: "\\") { return false }
    return true
  }
}

/// The meaning of single bytes between the strings of a JSON text.
package enum JSONBytes {
  @inline(__always)
  package static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Whether a value can begin with this byte.
  static func beginsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
