import ArgumentParser
import TapelineOffline
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("ca trust")
struct CATrustCommandTests {
  @Test("It shows, installs or removes")
  func options() throws {
    #expect(try CATrustCommand.parse([]).install == false)
    #expect(try CATrustCommand.parse(["--install"]).install)
    #expect(try CATrustCommand.parse(["--remove", "--ca-dir", "x"]).remove)
  }

  @Test("Without an authority there is nothing to trust", arguments: [[], ["--install"], ["--remove"]])
  func missing(arguments: [String]) throws {
    let temporary = try TemporaryDirectory()
    var command = try CATrustCommand.parse(arguments + ["--ca-dir", temporary.path("ca")])
    let failure = #expect(throws: CommandFailure.self) { try command.run() }
    #expect(failure?.status == .badInput)
    #expect(failure?.remedy.contains("tapeline ca create") == true)
  }
}
