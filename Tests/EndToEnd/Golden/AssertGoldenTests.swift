import Testing

@Suite("Golden: assert")
struct AssertGoldenTests {
  private static let rules = [
    "p95(wait) < 50ms", "count(error) == 0", "none(status >= 500)", "sum(resp.size) <= 1KiB",
    #"p95(wait, host == "nowhere.test")? < 1ms"#, "new hosts <= har/chromium-page.har",
    "p50(total) <= 110% of har/chromium-page.har",
  ]

  @Test("By width")
  func text() throws {
    try expectGolden("assert-text", ["assert", "har/session.har"] + Self.rules)
    try expectGolden("assert-kept", ["assert", "har/session.har", "count() > 0", "max(total) < 1h"], columns: [80])
  }

  @Test("For programs")
  func programs() throws {
    for format in ["junit", "github", "json"] {
      try expectGolden(
        "assert-\(format)", ["assert", "har/session.har", "--format", format, "--top", "2"] + Self.rules, columns: [80])
    }
  }

  @Test("Rules that cannot be understood are shown by their place")
  func errors() throws {
    try expectGolden("assert-field-error", ["assert", "har/session.har", "p95(wiat) < 200ms"], columns: [80])
    try expectGolden("assert-unit-error", ["assert", "har/session.har", "none(error)", "p95(wait) < 5KiB"], columns: [80])
    try expectGolden("assert-no-rule", ["assert", "har/session.har"], columns: [80])
    try expectGolden("assert-no-baseline", ["assert", "har/session.har", "new hosts <= har/absent.har"], columns: [80])
  }
}
