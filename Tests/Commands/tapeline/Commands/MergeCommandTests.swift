import ArgumentParser
import TapelineOffline
import Testing

@testable import tapeline

@Suite("merge")
struct MergeCommandTests {
  @Test("Two logs or more, and a name for the new one")
  func arguments() throws {
    let command = try #require(try Tapeline.parseAsRoot(["merge", "a", "b", "c", "-o", "d"]) as? MergeCommand)
    #expect(command.files == ["a", "b", "c"] && command.output == "d")
  }

  @Test(
    "What cannot be meant is a usage error",
    arguments: [["merge"], ["merge", "a", "-o", "b"], ["merge", "a", "b"], ["merge", "-", "-", "-o", "b"]])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(arguments) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }
}
