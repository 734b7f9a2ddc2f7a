import ArgumentParser
import TapelineOffline
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("ca path")
struct CAPathCommandTests {
  @Test("A path that leads nowhere is not printed")
  func missing() throws {
    let temporary = try TemporaryDirectory()
    var command = try CAPathCommand.parse(["--ca-dir", temporary.path("ca")])
    let failure = #expect(throws: CommandFailure.self) { try command.run() }
    #expect(failure?.why == "there is no \(temporary.path("ca/ca.pem"))")
  }
}
