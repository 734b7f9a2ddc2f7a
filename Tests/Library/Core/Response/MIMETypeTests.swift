import Testing

@testable import TapelineCore

@Suite struct MIMETypeTests {
  @Test(
    "Text without a slash, or empty, does not parse",
    arguments: ["", " ", "text", "text/", "/html", "/", "a/b/c", ";a/b"])
  func invalid(text: String) {
    #expect(MIMEType(text) == nil)
  }

  @Test(
    "Ranges match without regard to case and parameters",
    arguments: [
      ("text/html", "TEXT/html;charset=x", true), ("*/*", "a/b", true), ("text/*", "text/plain", true),
      ("text/*", "image/png", false),
      ("*/json", "application/json", true), ("application/json", "application/ld+json", false),
      (" text/html ; q=0.5", "text/html", true),
    ])
  func matching(range: String, type: String, matches: Bool) throws {
    #expect(try #require(MIMEType(range)).matches(try #require(MIMEType(type))) == matches)
  }
}
