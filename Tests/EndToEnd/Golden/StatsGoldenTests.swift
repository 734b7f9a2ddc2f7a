import Testing

@Suite("Golden: stats")
struct StatsGoldenTests {
  @Test(
    "The figures of every program's log",
    arguments: ["session", "faithful", "chrome", "chromium-page", "firefox-page", "mitmproxy-page", "playwright-page"])
  func captures(name: String) throws {
    try expectGolden("stats-\(name)", ["stats", "har/\(name).har"])
  }

  @Test("By every grouping", arguments: ["path", "status", "page", "method"])
  func groups(name: String) throws {
    try expectGolden("stats-by-\(name)", ["stats", "har/session.har", "--by", name, "--top", "3"])
  }

  @Test("A part of a capture, and none of it")
  func filtered() throws {
    try expectGolden("stats-filter", ["stats", "har/session.har", "--filter", #"path like "/api/*""#], columns: [80])
    try expectGolden("stats-nothing", ["stats", "har/session.har", "--filter", "status == 418"], columns: [80])
  }

  @Test("For programs, and in colours")
  func looks() throws {
    try expectGolden("stats-json", ["stats", "har/session.har", "--json"], columns: [80])
    try expectGolden("stats-color", ["stats", "har/session.har", "--color", "always"], columns: [80])
  }
}
