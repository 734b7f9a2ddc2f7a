import Testing

@testable import TapelineInspect

@Suite("Text pattern")
struct TextPatternTests {
  @Test(
    "Globs cover the whole text",
    arguments: [
      ("*", "", true), ("*", "abc", true), ("a*c", "abc", true), ("a*c", "ab", false), ("?", "", false), ("a?c", "abc", true),
      ("a?c", "ac", false),
      ("*.js", "app.min.js", true), ("*a*b*", "xxaxxbxx", true), ("*a*b*", "xxbxxaxx", false), ("", "", true), ("", "a", false),
      ("ä?", "äö", true),
      ("*ab", "aab", true),
    ])
  func glob(pattern: String, text: String, fits: Bool) {
    #expect(TextPattern(glob: pattern).matches(text) == fits)
  }

  @Test("A glob of many stars ends")
  func manyStars() {
    let pattern = TextPattern(glob: String(repeating: "a*", count: 50) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 5_000)))
  }

  @Test("Regular expressions are found anywhere; without signs they are plain text")
  func expression() throws {
    #expect(try TextPattern(regularExpression: "b+c").matches("abbc"))
    #expect(try !TextPattern(regularExpression: "^b").matches("ab"))
    #expect(try TextPattern(regularExpression: "b/c").matches("ab/cd"))
    #expect(throws: RegularExpression.Malformed.self) { try TextPattern(regularExpression: "(") }
  }
}
