// Hot path: every byte of a log that is read passes here once, so the parser uses a pointer.

/// Reads JSON values from bytes that contain them completely, strictly by RFC 8259.
///
/// A value's reader either takes it, or leaves the position unchanged and says so: a foreign log may have anything anywhere.
///
/// The bytes are borrowed: a parser lives inside of the closure that lends them, and nothing that it returns points into them.
@safe
struct JSONParser {
  /// Lent by the parser's creator, for the lifetime of the parser; `end` bytes may be read.
  let bytes: UnsafePointer<UInt8>
  var position: Int
  let end: Int
  /// Where `bytes` starts in the whole text, for errors.
  let origin: Int
  /// The parts of an entry that are wanted.
  let parts: HAREntryParts
  /// Bytes of a body's text that are wanted; `nil` for all.
  let bodyLimit: Int?
  var depth = 0

  static let depthLimit = 256

  /// - Parameter range: where in `bytes` the value is.
  @unsafe
  init(_ bytes: UnsafePointer<UInt8>, range: Range<Int>, origin: Int = 0, parts: HAREntryParts = .all, bodyLimit: Int? = nil) {
    unsafe self.bytes = bytes
    self.position = range.lowerBound
    self.end = range.upperBound
    self.origin = origin
    self.parts = parts
    self.bodyLimit = bodyLimit
  }

  /// The byte at `index`, which must lie before `end`.
  @inline(__always)
  func byte(at index: Int) -> UInt8 {
    unsafe bytes[index]
  }

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

  mutating func expect(_ byte: UInt8, _ what: StaticString) throws(HARReadError) {
    guard try take(byte) else { throw failure(.expected(what.description)) }
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

  /// Restores position and depth after a refused value.
  mutating func restore(to earlier: JSONParser) {
    position = earlier.position
    depth = earlier.depth
  }

  /// Takes any value.
  mutating func readValue() throws(HARReadError) -> HARValue {
    switch try peek() {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "{"):
      var members: [HARObject.Member] = []
      try readObject { (parser, name) throws(HARReadError) in
        members.append(HARObject.Member(name: name.text, value: try parser.readValue()))
      }
      return .object(HARObject(members: members))
    case UInt8(ascii: "["):
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

  /// Whether exactly this is next.
  @inline(__always)
  func isNext(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard end - position >= count else { return false }
    for index in 0..<count {
      guard unsafe byte(at: position + index) == text.utf8Start[index] else { return false }
    }
    return true
  }

  mutating func expectWord(_ word: StaticString) throws(HARReadError) {
    for index in 0..<word.utf8CodeUnitCount {
      let expected = unsafe word.utf8Start[index]
      guard position < end, byte(at: position) == expected else { throw failure(.expected("a value")) }
      position += 1
    }
  }
}

extension Span<UInt8> {
  /// Lends the bytes to a parser, which must not outlive `body`.
  @inline(__always)
  func withParser<Result>(
    range: Range<Int>, origin: Int = 0, parts: HAREntryParts = .all, bodyLimit: Int? = nil,
    _ body: (inout JSONParser) throws(HARReadError) -> Result
  ) throws(HARReadError) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a parser reads only what it was lent")
    return try unsafe withUnsafeBufferPointer { (buffer) throws(HARReadError) in
      guard let start = buffer.baseAddress else { throw HARReadError(kind: .unexpectedEnd, offset: origin) }
      var parser = unsafe JSONParser(start, range: range, origin: origin, parts: parts, bodyLimit: bodyLimit)
      return try body(&parser)
    }
  }
}
