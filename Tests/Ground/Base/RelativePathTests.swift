import Testing

@testable import TapelineBase

@Suite("Relative paths") struct RelativePathTests {
  @Test(arguments: [
    ("/a/b", "/a/b", ""), ("/a", "/a/b/c", "b/c/"), ("/a/b", "/a/c", "../c/"), ("/", "/a", "a/"), ("/a/b", "/", "../../"),
    ("/ab", "/a", "../a/"),
  ])
  func relativePaths(from: String, to: String, path: String) {
    #expect(RelativePath.from(from, to: to) == path)
  }
}
