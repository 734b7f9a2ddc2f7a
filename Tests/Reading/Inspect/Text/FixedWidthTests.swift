import Testing

@testable import TapelineInspect

@Suite("Fixed width")
struct FixedWidthTests {
  @Test(
    "The middle goes, both ends stay",
    arguments: [
      ("http://host/path", 16, "http://host/path"),
      ("http://host/path", 15, "http://…st/path"),
      ("http://host/path", 4, "ht…h"),
      ("abc", 2, "a…"),
      ("abc", 1, "a"),
      ("abc", 0, ""),
    ])
  func elision(text: String, width: Int, expected: String) {
    #expect(text.elided(to: width) == expected)
    #expect(text.elided(to: width).count <= max(width, 0))
  }

  @Test("Padding never cuts")
  func padding() {
    #expect("ab".padded(to: 4) == "ab  ")
    #expect("ab".rightAligned(to: 4) == "  ab")
    #expect("abcde".padded(to: 4) == "abcde")
    #expect("abcde".rightAligned(to: 4) == "abcde")
  }
}
