import Testing

@testable import TapelineOffline

@Suite("Absolute path")
struct AbsolutePathTests {
  @Test("A relative path is one from where the program was started")
  func paths() throws {
    #expect(AbsolutePath.of("/a/b") == "/a/b")
    let path = AbsolutePath.of("a/b")
    #expect(path.hasPrefix("/"))
    #expect(path.hasSuffix("/a/b"))
  }
}
