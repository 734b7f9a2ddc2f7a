import TapelineSystem
import Testing

struct NumberedPathTests {
  @Test(arguments: [
    ("a.har", "a-1.har"), ("/x.y/a", "/x.y/a-1"), ("/x/a.b.har", "/x/a.b-1.har"), (".har", ".har-1"),
    ("/x/.hidden.har", "/x/.hidden-1.har"),
    ("a.", "a-1."),
  ])
  func numberGoesBeforeTheExtension(path: String, expected: String) {
    #expect(NumberedPath(path).numbered(1) == expected)
  }

  @Test func itsFilesAreKnownByTheirNames() {
    let names = NumberedPath("/x/a-7.har")
    #expect(names.number(of: "/x/a-7-12.har") == 12 && names.number(of: "/x/a-12.har") == nil)
    #expect(names.number(of: "/x/a-7-012.har") == nil && names.number(of: "/x/a-7-1.txt") == nil)
    #expect(names.origin?.number == 7 && names.origin?.capture.number(of: "/x/a-8.har") == 8)
    #expect(NumberedPath("/x/a.har").origin == nil && NumberedPath("/x/-1.har").origin == nil)
  }
}
