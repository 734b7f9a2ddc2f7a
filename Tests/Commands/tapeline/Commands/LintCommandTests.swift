import ArgumentParser
import TapelineOffline
import TapelineHAR
import Testing

@testable import tapeline

@Suite("lint")
struct LintCommandTests {
  @Test("Readers may repeat")
  func profiles() throws {
    let command = try #require(
      try Tapeline.parseAsRoot(["lint", "a.har", "--profile", "devtools", "--profile", "mitmproxy", "--json"]) as? LintCommand)
    #expect(command.profile == [.devtools, .mitmproxy] && command.json && !command.fix && command.file == "a.har")
  }

  @Test(
    "What cannot be meant is a usage error",
    arguments: [
      ["lint"], ["lint", "a", "--fix"], ["lint", "a", "-o", "b"], ["lint", "a", "--profile", "lynx"], ["lint", "a", "b"],
    ])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(arguments) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }
}
