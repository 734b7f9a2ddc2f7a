import Testing

@testable import TapelineTLS

@Suite("Authority error")
struct AuthorityErrorTests {
  @Test("It reads: what, why, what to do")
  func description() {
    #expect(AuthorityError(.expired, what: "x", why: "y", remedy: "z").description == "x: y; z")
    #expect(AuthorityError.file("/x", code: 2).description == "/x: No such file or directory; check the path and its permissions")
  }
}
