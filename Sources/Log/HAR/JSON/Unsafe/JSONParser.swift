internal import CVectors
internal import TapelineBase

// Hot path: every byte of a log that is read passes here once, so the parser uses a pointer.

/// Reads JSON values from bytes that contain them completely, by RFC 8259 but for a few oddities, which it remembers.
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
  var bodyLimit: Int?
  var depth = 0
  /// The faults that it has accepted so far, except bytes that are not UTF-8.
  var oddities = JSONOddities()

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

  /// The text in `range`, which must lie before `end`; bytes that are not UTF-8 are replaced.
  @inline(__always)
  func text(in range: Range<Int>) -> String {
    unsafe String(decoding: UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count), as: UTF8.self)
  }

  /// Whether the bytes in `range`, which must lie before `end`, are UTF-8.
  func isUTF8(in range: Range<Int>) -> Bool {
    unsafe Span(_unsafeStart: bytes + range.lowerBound, count: range.count).isUTF8
  }

  /// Appends the bytes of `range`, which must lie before `end`.
  @inline(__always)
  func append(_ range: Range<Int>, to output: inout [UInt8]) {
    unsafe output.append(contentsOf: UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count))
  }

  /// The name in `range`, which must lie before `end` and has no escapes.
  @inline(__always)
  func name(in range: Range<Int>) -> MemberName {
    unsafe MemberName(bytes + range.lowerBound, count: range.count)
  }

  /// The name at `start` that had escapes.
  func name(unescaped text: String, at start: Int) -> MemberName {
    unsafe MemberName(unescaped: text, at: bytes + start)
  }

  /// The index of the next quote, backslash or control, from `start` on; `end` if none follows.
  @inline(__always)
  func nextSpecial(from start: Int) -> Int {
    unsafe StringBytes.nextSpecial(in: bytes, from: start, to: end)
  }

  /// Moves behind the quote that ends the string; `false` if none follows. The position is behind the quote that begins it.
  mutating func skipToEndOfString() -> Bool {
    skip(unsafe byte_search_string_end(bytes + position, end - position))
  }

  /// Moves behind the bracket that ends the object or array; `false` if none follows. The position is behind the bracket that
  /// begins it.
  mutating func skipToEndOfContainer() -> Bool {
    skip(unsafe byte_search_container_end(bytes + position, end - position))
  }

  private mutating func skip(_ count: Int) -> Bool {
    position = count > 0 ? position + count : end
    return count > 0
  }

  /// Whether the bytes of two ranges of the same length, before `end`, are the same.
  func hasSameBytes(in range: Range<Int>, as other: Range<Int>) -> Bool {
    unsafe (bytes + other.lowerBound).hasSameBytes(as: bytes + range.lowerBound, count: range.count)
  }

  /// Whether the bytes in `range`, before `end`, are base64.
  func isBase64(in range: Range<Int>) -> Bool {
    unsafe Base64.isValid(Span(_unsafeStart: bytes + range.lowerBound, count: range.count))
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
