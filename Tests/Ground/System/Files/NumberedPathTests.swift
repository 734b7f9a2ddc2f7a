import TapelineSystem
import Testing

struct NumberedPathTests {
  @Test(arguments: [
    ("a.har", "a-001.har"), ("/x.y/a", "/x.y/a-001"), ("/x/a.b.har", "/x/a.b-001.har"), (".har", ".har-001"),
    ("/x/.hidden.har", "/x/.hidden-001.har"), ("a.", "a-001."),
  ])
  func numberGoesBeforeTheExtension(path: String, expected: String) {
    #expect(NumberedPath(path).numbered(1) == expected)
  }

  @Test func itsFilesAreKnownByTheirNames() {
    let names = NumberedPath("/x/a-7.har")
    #expect(names.number(of: "/x/a-7-12.har") == 12 && names.number(of: "/x/a-12.har") == nil)
    #expect(
      names.number(of: "/x/a-7-012.har") == 12 && names.number(of: "/x/a-7-0012.har") == nil
        && names.number(of: "/x/a-7-1.txt") == nil)
    #expect(names.origin?.number == 7 && names.origin?.capture.number(of: "/x/a-8.har") == 8)
    #expect(NumberedPath("/x/a.har").origin == nil && NumberedPath("/x/-1.har").origin == nil)
  }

  @Test func filesOfACaptureAreInTheOrderOfTheirNumbers() {
    let names = ["a-001.har", "a-1000.har", "a-2.har", "a.har", "b/a.har", "a-x.har", "a0.har"]
    #expect(
      names.sorted(by: NumberedPath.inOrder)
        == ["a-x.har", "a.har", "a-001.har", "a-2.har", "a-1000.har", "a0.har", "b/a.har"])
  }
}
