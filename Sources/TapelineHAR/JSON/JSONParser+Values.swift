// Hot path: a check of a log passes all its bytes through here.

extension JSONParser {
  /// Skips any value, and checks that all of it is JSON.
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

  /// Skips the string that starts at the position; returns the range between its quotes.
  mutating func checkString() throws(HARReadError) -> Range<Int> {
    let start = position + 1
    position = start
    while true {
      position = unsafe StringBytes.nextSpecial(in: bytes, from: position, to: end)
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
      _ = try readFourHexDigits()
    default: throw failure(.invalidString)
    }
  }

  /// Whether the bytes are ASCII and have no escapes.
  func isPlain(_ range: Range<Int>) -> Bool {
    for index in range where byte(at: index) >= 0x80 || byte(at: index) == UInt8(ascii: "\\") { return false }
    return true
  }
}
