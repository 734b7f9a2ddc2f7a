import Testing

@testable import TapelineCore

@Suite struct PercentEncodingTests {
  /// RFC 3986 2.1 to 2.3.
  @Test func encoding() {
    #expect(PercentEncoding.encode("a b/ä+%", allowed: .unreserved) == "a%20b%2F%C3%A4%2B%25")
    #expect(PercentEncoding.encode("aZ09-._~", allowed: .unreserved) == "aZ09-._~")
    #expect(PercentEncoding.encode("\u{7F}\0", allowed: .unreserved) == "%7F%00")
  }

  @Test(arguments: [
    ("a%20b", "a b"), ("%c3%A4", "ä"), ("%", "%"), ("%2", "%2"), ("%zz", "%zz"), ("100%25", "100%"), ("%%41", "%A"),
  ])
  func decoding(text: String, decoded: String) {
    #expect(PercentEncoding.decode(text) == Array(decoded.utf8))
  }

  @Test func decodingUndoesEncoding() {
    let text = String(String.UnicodeScalarView((0..<0x250).compactMap(Unicode.Scalar.init)))
    #expect(PercentEncoding.decode(PercentEncoding.encode(text, allowed: .urlQuery)) == Array(text.utf8))
  }
}
