import Testing

@testable import TapelineRedaction

struct QuoteTests {
  /// What stands between the mark at the start of `text` and the one that ends it.
  @Test(arguments: [
    (#""abc" d"#, "abc"), ("'a\"b' d", "a\"b"), (#""a\"b" d"#, #"a\"b"#), (#"\"abc\" d"#, "abc"), (#"\"a\\\"b\" d"#, #"a\\\"b"#),
    (#""cut"#, "cut"), (#"\"cut"#, "cut"), (#""""#, ""), (#""ends in a backslash\"#, #"ends in a backslash\"#), ("abc", nil),
    ("", nil),
    (#"\n"#, nil),
  ])
  func content(text: String, expected: String?) {
    let bytes = Array(text.utf8)
    let range = Quote(beginningAt: 0, in: bytes.span)?.content(from: 0, in: bytes.span)
    #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == expected)
  }

  @Test(arguments: [
    (#"{"abc""#, "abc"), (#"{\"abc\""#, "abc"), ("{'abc'", "abc"), (#""abc'"#, nil), (#"abc""#, nil), ("abc", nil),
    ("\"" + String(repeating: "a", count: 100) + "\"", nil),
  ])
  func contentBefore(text: String, expected: String?) {
    let bytes = Array(text.utf8)
    let quote = Quote(endingAt: bytes.count, in: bytes.span)
    let range = quote?.content(before: bytes.count, in: bytes.span, longest: 64)
    #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == expected)
  }
}
