import ArgumentParser
import TapelineOffline
import Testing

@testable import tapeline

@Suite("redact")
struct RedactCommandTests {
  @Test("A new name is needed")
  func usage() {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(["redact", "a"]) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }
}
