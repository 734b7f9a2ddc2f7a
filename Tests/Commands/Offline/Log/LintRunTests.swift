import TapelineHAR
import Testing

@testable import TapelineOffline

@Suite("Lint run")
struct LintRunTests {
  @Test("A finding is a line with place, severity, message and rule")
  func line() {
    let finding = HARFinding(
      rule: .badURL, severity: .error, path: HARPath.log["entries"][3], message: "no\u{1B}", isFixable: true)
    #expect(LintRun.line(finding) == "$.log.entries[3]: error: no\u{FFFD} [bad-url]")
    let other = HARFinding(rule: .mitmproxyURL, severity: .warning, path: HARPath.log, message: "m", isFixable: false)
    #expect(LintRun.line(other) == "$.log: warning: m (not fixable) [mitmproxy-url]")
  }

  @Test("The summary counts the findings")
  func summary() throws {
    var lint = HARLint()
    try lint.feed(Array(#"{"log":{"entries":[{}]}}"#.utf8).span) { _ in }
    try lint.finish { _ in }
    #expect(LintRun.summary("a.har", lint, isFixed: false) == "a.har: 8 errors, 2 warnings in 1 entry")
    #expect(LintRun.summary("a.har", lint, isFixed: true) == "a.har: 8 errors, 2 warnings in 1 entry; all repaired")
    #expect(LintRun.summary("a.har", HARLint(), isFixed: false) == "a.har: nothing wrong in 0 entries")
  }
}
