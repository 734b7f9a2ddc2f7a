import ArgumentParser
import TapelineOffline
import Testing

@testable import tapeline

@Suite("recover")
struct RecoverCommandTests {
  @Test(
    "What cannot be meant is a usage error",
    arguments: [["recover"], ["recover", "a", "-o", "b", "--in-place"], ["recover", "-"]])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(arguments) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }
}
