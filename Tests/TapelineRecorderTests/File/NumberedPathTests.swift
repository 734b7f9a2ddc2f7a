import Testing

@testable import TapelineRecorder

struct NumberedPathTests {
  @Test(arguments: [
    ("a.har", "a-1.har"), ("/x.y/a", "/x.y/a-1"), ("/x/a.b.har", "/x/a.b-1.har"), (".har", ".har-1"),
    ("/x/.hidden.har", "/x/.hidden-1.har"),
    ("a.", "a-1."),
  ])
  func numberGoesBeforeTheExtension(path: String, expected: String) {
    #expect(NumberedPath(path).numbered(1) == expected)
  }
}
