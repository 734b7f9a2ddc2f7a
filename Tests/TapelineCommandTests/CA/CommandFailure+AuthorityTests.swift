import TapelineTLS
import Testing

@testable import tapeline

@Suite("Command failure of an authority")
struct CommandFailureAuthorityTests {
  @Test("It keeps the words, and tells bad files from refused ones")
  func mapping() {
    let failure = CommandFailure(AuthorityError(.expired, what: "x", why: "y", remedy: "z"))
    #expect(failure == CommandFailure(status: .badInput, what: "x", why: "y", remedy: "z"))
    #expect(CommandFailure(AuthorityError(.file, what: "x", why: "y", remedy: "z")).status == .cannotCreate)
  }
}
