extension JSONParser {
  mutating func read(_ text: inout String) throws(HARReadError) -> Bool {
    let start = self
    switch try peek() {
    case UInt8(ascii: "\""):
      text = try readString()
      return true
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      // A port or a version, written as a number.
      text = try readNumber()
      restore(to: start)
      return false
    default:
      return false
    }
  }

  mutating func read(_ text: inout String?) throws(HARReadError) -> Bool {
    var new = text ?? ""
    let isText = try read(&new)
    if isText || !new.isEmpty { text = new }
    return isText
  }

  mutating func read(_ number: inout Double) throws(HARReadError) -> Bool {
    if try isNumberNext() {
      number = try readDouble()
      return true
    }
    if let quoted = try quotedNumber() { number = quoted.double }
    return false
  }

  mutating func read(_ number: inout Double?) throws(HARReadError) -> Bool {
    if try isNumberNext() {
      number = try readDouble()
      return true
    }
    if let quoted = try quotedNumber() { number = quoted.double }
    return false
  }

  mutating func read(_ number: inout Int) throws(HARReadError) -> Bool {
    let start = self
    guard try isNumberNext() else {
      if let quoted = try quotedNumber()?.integer { number = quoted }
      return false
    }
    if let integer = try readInteger() {
      number = integer
      return true
    }
    restore(to: start)
    let fraction = try readDouble()
    if fraction.magnitude < 1e15 { number = Int(fraction.rounded()) }
    restore(to: start)
    return false
  }

  mutating func read(_ number: inout Int?) throws(HARReadError) -> Bool {
    // If `read` returns `false` and `new` is still `Int.min`, no number was read.
    var new = Int.min
    let isInteger = try read(&new)
    if isInteger || new != Int.min { number = new }
    return isInteger
  }

  mutating func read(_ value: inout Bool?) throws(HARReadError) -> Bool {
    switch try peek() {
    case UInt8(ascii: "t"):
      try expectWord("true")
      value = true
      return true
    case UInt8(ascii: "f"):
      try expectWord("false")
      value = false
      return true
    default:
      return false
    }
  }

  @inline(__always)
  private mutating func isNumberNext() throws(HARReadError) -> Bool {
    switch try peek() {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  /// The number in a string, without taking the string.
  private mutating func quotedNumber() throws(HARReadError) -> HARNumber? {
    guard try peek() == UInt8(ascii: "\"") else { return nil }
    let start = self
    let text = try readString()
    restore(to: start)
    return HARNumber(text: text)
  }
}
