// Hot path: most bytes of a log are in values that nobody asked for.

extension JSONParser {
  /// Skips any value without keeping any of it.
  ///
  /// Inside of an object or array it only tells strings from brackets: skipped values are not checked.
  mutating func skipValue() throws(HARReadError) {
    switch try peek() {
    case UInt8(ascii: "\""):
      position += 1
      try skipRestOfString()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try skipContainer()
    case UInt8(ascii: "t"): try expectWord("true")
    case UInt8(ascii: "f"): try expectWord("false")
    case UInt8(ascii: "n"): try expectWord("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
    default: throw failure(.expected("a value"))
    }
  }

  private mutating func skipContainer() throws(HARReadError) {
    var open = 0
    while position < end {
      let byte = byte(at: position)
      position += 1
      switch byte {
      case UInt8(ascii: "\""): try skipRestOfString()
      case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        open -= 1
        if open == 0 { return }
      default: break
      }
    }
    throw failure(.unexpectedEnd)
  }

  /// Moves past the quote that ends the string at the position.
  @inline(__always)
  mutating func skipRestOfString() throws(HARReadError) {
    while true {
      position = unsafe StringBytes.nextQuoteOrBackslash(in: bytes, from: position, to: end)
      guard position < end else { throw failure(.unexpectedEnd) }
      if byte(at: position) == UInt8(ascii: "\"") {
        position += 1
        return
      }
      position += 2
      if position > end {
        position = end
        throw failure(.unexpectedEnd)
      }
    }
  }
}
