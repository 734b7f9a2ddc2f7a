internal import TapelineText

/// Finds references to known addresses in bodies: HTML, CSS, programs, JSON, or any other text.
///
/// It knows no grammar. It cuts the text into the pieces that could be a reference, and looks at those that end like a known
/// address. So it takes time linear in the text, and does not build strings for the rest.
struct MentionReader: Sendable {
  private var tails: Set<UInt64> = []

  /// A longer piece is data, not a reference.
  private static let longest = 4_096
  /// A reference ends with these only as part of a sentence or a list.
  private static let stops: Set<UInt8> = Set(#".,:;\"#.utf8)
  private static let characters = ByteSet.uri.union("\\")
  private static let delimiters = ByteSet("'()*!$")

  mutating func know(_ address: WebAddress) {
    tails.insert(Self.hash(Array(address.tail.utf8).span))
  }

  /// Gives each piece of `text` that could be a reference to a known address, unescaped.
  func read(_ text: Span<UInt8>, _ found: (String) -> Void) {
    var start: Int?
    var mark: Int?
    for index in 0...text.count {
      if index < text.count, continues(text, at: index, hasQuery: mark != nil) {
        let byte = text[index]
        if byte == Byte.equals, mark == nil {
          // An attribute without quotes.
          start = nil
        } else if start == nil {
          start = index
        }
        if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#"), mark == nil { mark = index }
      } else {
        if let start { offer(text, start..<index, path: mark ?? index, found) }
        start = nil
        mark = nil
      }
    }
  }

  private func continues(_ text: Span<UInt8>, at index: Int, hasQuery: Bool) -> Bool {
    let byte = text[index]
    // The end of `&amp;`.
    if byte == Byte.semicolon { return hasQuery && text.equals("&amp", in: max(0, index - 4)..<index) }
    return Self.characters.contains(byte) && !Self.delimiters.contains(byte)
  }

  private func offer(_ text: Span<UInt8>, _ range: Range<Int>, path: Int, _ found: (String) -> Void) {
    guard (2...Self.longest).contains(range.count) else { return }
    var end = range.upperBound
    while end > range.lowerBound, Self.stops.contains(text[end - 1]) { end -= 1 }
    let pathEnd = min(path, end)
    var tail = pathEnd
    while tail > range.lowerBound, text[tail - 1] != Byte.slash { tail -= 1 }
    let isReference = tail > range.lowerBound || path < end || (tail..<pathEnd).contains { text[$0] == UInt8(ascii: ".") }
    guard isReference, end - range.lowerBound > 1, tails.contains(Self.hash(text.extracting(tail..<pathEnd))) else { return }
    found(Self.unescaped(String(decoding: Array(copying: text.extracting(range.lowerBound..<end)), as: UTF8.self)))
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
