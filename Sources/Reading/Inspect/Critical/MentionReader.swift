internal import TapelineBase

/// Finds references to known addresses in bodies: HTML, CSS, programs, JSON, or any other text.
///
/// It knows no grammar. It cuts the text into the pieces that could be a reference, and looks at those that end like a known
/// address. So it takes time linear in the text, and does not build strings for the rest.
struct MentionReader: Sendable {
  private var tails: Set<UInt64> = []
  /// A few bits for each of the tails: most pieces need no look at the set.
  private var sketch: [Bool]

  /// A longer piece is data, not a reference.
  private static let longest = 4_096
  /// A reference ends with these only as part of a sentence or a list.
  private static let stops = ByteSet(#".,:;\"#)

  /// The part of a byte in a reference.
  private enum Role: UInt8 {
    case none, plain, slash, dot, mark, equals, semicolon
  }

  /// By byte.
  private static let roles: [Role] = (UInt8.min...UInt8.max).map { byte in
    switch byte {
    case Byte.slash: .slash
    case UInt8(ascii: "."): .dot
    case UInt8(ascii: "?"), UInt8(ascii: "#"): .mark
    case Byte.equals: .equals
    case Byte.semicolon: .semicolon
    default: ByteSet.uri.union("\\").contains(byte) && !ByteSet("'()*!$").contains(byte) ? .plain : .none
    }
  }

  init(knowing addresses: some Collection<WebAddress>) {
    var size = 1 << 10
    while size < 16 * addresses.count { size *= 2 }
    sketch = Array(repeating: false, count: size)
    for address in addresses {
      let hash = Self.hash(Array(address.tail.utf8).span)
      tails.insert(hash)
      sketch[Int(truncatingIfNeeded: hash) & (size - 1)] = true
    }
  }

  /// Gives each piece of `text` that could be a reference to a known address, unescaped.
  func read(_ text: Span<UInt8>, _ found: (String) -> Void) {
    let roles = Self.roles
    var start: Int?
    var mark: Int?
    /// Words, which are most of a text, are none.
    var isCandidate = false
    for index in 0..<text.count {
      switch roles[Int(text[index])] {
      case .plain:
        if start == nil { start = index }
      case .slash, .dot:
        if start == nil { start = index }
        isCandidate = true
      case .mark:
        if start == nil { start = index }
        if mark == nil { mark = index }
        isCandidate = true
      case .equals:
        // An attribute without quotes.
        if mark == nil { (start, isCandidate) = (nil, false) }
      // The end of `&amp;`.
      case .semicolon where mark != nil && text.equals("&amp", in: max(0, index - 4)..<index):
        if start == nil { start = index }
      case .none, .semicolon:
        if isCandidate, let start { offer(text, start..<index, path: mark ?? index, found) }
        start = nil
        mark = nil
        isCandidate = false
      }
    }
    if isCandidate, let start { offer(text, start..<text.count, path: mark ?? text.count, found) }
  }

  private func offer(_ text: Span<UInt8>, _ range: Range<Int>, path: Int, _ found: (String) -> Void) {
    guard (2...Self.longest).contains(range.count) else { return }
    var end = range.upperBound
    while end > range.lowerBound, Self.stops.contains(text[end - 1]) { end -= 1 }
    let pathEnd = min(path, end)
    var tail = pathEnd
    while tail > range.lowerBound, text[tail - 1] != Byte.slash { tail -= 1 }
    let isReference = tail > range.lowerBound || path < end || (tail..<pathEnd).contains { text[$0] == UInt8(ascii: ".") }
    guard isReference, end - range.lowerBound > 1, knows(Self.hash(text.extracting(tail..<pathEnd))) else { return }
    found(Self.unescaped(String(decoding: Array(copying: text.extracting(range.lowerBound..<end)), as: UTF8.self)))
  }

  private func knows(_ hash: UInt64) -> Bool {
    sketch[Int(truncatingIfNeeded: hash) & (sketch.count - 1)] && tails.contains(hash)
  }

  /// Without the escapes of HTML and of strings in programs, as far as references have them.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("\\") || text.contains("&amp;") else { return text }
    return text.replacing("\\/", with: "/").replacing("\\u0026", with: "&").replacing("&amp;", with: "&")
  }

  /// FNV-1a.
  private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<bytes.count { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}
