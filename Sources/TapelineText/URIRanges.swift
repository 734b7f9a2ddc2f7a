/// The ranges of the five parts of a URI or URI reference in its bytes (RFC 3986 3).
///
/// Every text is a reference (RFC 3986 appendix B). Nothing is decoded, checked or repaired.
package struct URIRanges: Sendable, Hashable {
  /// Without its colon.
  package let scheme: Range<Int>?
  /// Without its slashes.
  package let authority: Range<Int>?
  package let path: Range<Int>
  /// Without its question mark.
  package let query: Range<Int>?
  /// Without its number sign.
  package let fragment: Range<Int>?

  package init(_ bytes: Span<UInt8>) {
    let mark = (0..<bytes.count).first { bytes[$0] == UInt8(ascii: "?") || bytes[$0] == UInt8(ascii: "#") } ?? bytes.count
    let number = (mark..<bytes.count).first { bytes[$0] == UInt8(ascii: "#") }
    fragment = number.map { $0 + 1..<bytes.count }
    query = mark < number ?? bytes.count ? mark + 1..<(number ?? bytes.count) : nil

    let schemeEnd = Self.schemeEnd(of: bytes, before: mark)
    scheme = schemeEnd.map { 0..<$0 }
    let rest = schemeEnd.map { $0 + 1 } ?? 0
    guard rest + 1 < mark, bytes[rest] == UInt8(ascii: "/"), bytes[rest + 1] == UInt8(ascii: "/") else {
      authority = nil
      path = rest..<mark
      return
    }
    let authorityEnd = (rest + 2..<mark).first { bytes[$0] == UInt8(ascii: "/") } ?? mark
    authority = rest + 2..<authorityEnd
    path = authorityEnd..<mark
  }

  package init(_ text: String) {
    self.init(text.utf8.span)
  }

  /// The part before the fragment: what a client requests.
  package var pathAndQuery: Range<Int> { path.lowerBound..<(query?.upperBound ?? path.upperBound) }

  /// The index of the colon after a scheme (RFC 3986 3.1).
  private static func schemeEnd(of bytes: Span<UInt8>, before end: Int) -> Int? {
    for index in 0..<end {
      switch bytes[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        if index == 0 { return nil }
      case UInt8(ascii: ":"): return index > 0 ? index : nil
      default: return nil
      }
    }
    return nil
  }
}

extension String {
  /// The text in a range of its UTF-8.
  package subscript(utf8 range: Range<Int>) -> Substring {
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    return self[start..<utf8.index(start, offsetBy: range.count)]
  }
}
