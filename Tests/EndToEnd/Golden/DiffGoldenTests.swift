import Testing

@Suite("Golden: diff")
struct DiffGoldenTests {
  private static let captures = ["har/chromium-page.har", "har/firefox-page.har"]

  @Test("By width")
  func text() throws {
    try expectGolden("diff-text", ["diff"] + Self.captures)
    try expectGolden("diff-same", ["diff", "har/session.har", "har/session.har"], columns: [80])
    try expectGolden("diff-ascii", ["diff"] + Self.captures, columns: [80], environment: ["LC_ALL": "C"])
  }

  @Test("Limits")
  func limits() throws {
    let limits = ["p95 +10%", "new errors", "count +0", "p50(wait) +20ms pooled"].flatMap { ["--fail", $0] }
    try expectGolden("diff-limits", ["diff"] + Self.captures + limits)
    try expectGolden("diff-limit-error", ["diff"] + Self.captures + ["--fail", "p95 +10"], columns: [80])
  }

  @Test("For a pull request, and for programs")
  func formats() throws {
    try expectGolden("diff-markdown", ["diff"] + Self.captures + ["--format", "markdown"], columns: [80])
    try expectGolden("diff-json", ["diff", "har/session.har", "har/session.har", "--format", "json"], columns: [80])
  }
}
