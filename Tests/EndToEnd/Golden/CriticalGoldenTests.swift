import Testing

@Suite("Golden: critical")
struct CriticalGoldenTests {
  @Test(
    "The path of every program's log, by width",
    arguments: ["session", "faithful", "chromium-page", "firefox-page", "mitmproxy-page", "playwright-page", "browser-session"])
  func captures(name: String) throws {
    try expectGolden("critical-\(name)", ["critical", "har/\(name).har"])
  }

  @Test("One page, a part of a capture, and none of it")
  func chosen() throws {
    try expectGolden("critical-page", ["critical", "har/session.har", "--page", "errors and a stream"], columns: [80])
    try expectGolden(
      "critical-filter", ["critical", "har/session.har", "--filter", #"path like "/api/*""#, "--top", "2"], columns: [80])
    try expectGolden("critical-nothing", ["critical", "har/session.har", "--filter", "status == 418"], columns: [80])
    try expectGolden("critical-no-page", ["critical", "har/session.har", "--page", "no such"], columns: [80])
  }

  @Test("For programs, in colours, and without characters beyond ASCII")
  func looks() throws {
    try expectGolden("critical-json", ["critical", "har/chromium-page.har", "--json"], columns: [80])
    try expectGolden("critical-color", ["critical", "har/session.har", "--color", "always"], columns: [80])
    try expectGolden("critical-ascii", ["critical", "har/session.har"], columns: [80], environment: ["LC_ALL": "C"])
  }
}
