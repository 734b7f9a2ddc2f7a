import ArgumentParser
import TapelineOffline
import TapelineBase
import TapelineTime
import Testing

@testable import tapeline

@Suite("import")
struct ImportCommandTests {
  @Test(
    "What cannot be meant is a usage error",
    arguments: [
      ["curl"], ["pcap"], ["har"], ["curl", "a", "--date", "today"], ["curl", "a", "--date", "2026-02-30"],
      ["curl", "a", "--date", "2026-01-02T03"], ["har", "a", "--force"], ["har", "a", "--redact", "r", "--no-redact"],
      ["pcap", "a", "--max-body", "1GiB"], ["pcap", "a", "b"],
    ])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(["import"] + arguments) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }

  @Test("A day is the day of the first line")
  func day() throws {
    let command = try #require(
      try Tapeline.parseAsRoot(["import", "curl", "a", "-", "--date", "2026-01-31"]) as? ImportCurlCommand)
    #expect(command.files == ["a", "-"])
    #expect(command.date?.text == "2026-01-31T00:00:00")
  }
}
