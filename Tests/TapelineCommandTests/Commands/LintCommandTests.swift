import ArgumentParser
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

  @Test("A finding is a line that says where, how bad, what, and the rule")
  func line() {
    let finding = HARFinding(
      rule: .badURL, severity: .error, path: HARPath.log["entries"][3], message: "no\u{1B}", isFixable: true)
    #expect(LintCommand.line(finding) == "$.log.entries[3]: error: no\u{FFFD} [bad-url]")
    let other = HARFinding(rule: .mitmproxyURL, severity: .warning, path: HARPath.log, message: "m", isFixable: false)
    #expect(LintCommand.line(other) == "$.log: warning: m (not fixable) [mitmproxy-url]")
  }

  @Test("The summary counts")
  func summary() throws {
    var lint = HARLint()
    try lint.feed(Array(#"{"log":{"entries":[{}]}}"#.utf8).span) { _ in }
    try lint.finish { _ in }
    #expect(LintCommand.summary("a.har", lint, isFixed: false) == "a.har: 8 errors, 2 warnings in 1 entry")
    #expect(LintCommand.summary("a.har", lint, isFixed: true) == "a.har: 8 errors, 2 warnings in 1 entry; all repaired")
    #expect(LintCommand.summary("a.har", HARLint(), isFixed: false) == "a.har: nothing wrong in 0 entries")
  }
}
