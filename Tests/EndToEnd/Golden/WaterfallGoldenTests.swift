import Testing

@Suite("Golden: waterfall")
struct WaterfallGoldenTests {
  @Test(
    "By page, of every program's log",
    arguments: ["session", "faithful", "chrome", "chromium-page", "firefox-page", "mitmproxy-page", "playwright-page"])
  func captures(name: String) throws {
    try expectGolden("waterfall-\(name)", ["waterfall", "har/\(name).har"])
  }

  @Test("By connection and all together, a part of it")
  func groups() throws {
    try expectGolden("waterfall-connection", ["waterfall", "har/session.har", "--by", "connection"])
    try expectGolden("waterfall-none", ["waterfall", "har/session.har", "--by", "none", "--limit", "5"])
    try expectGolden("waterfall-filter", ["waterfall", "har/session.har", "--filter", "total > 100ms"])
  }

  @Test("In colours, and without characters beyond ASCII")
  func looks() throws {
    try expectGolden("waterfall-color", ["waterfall", "har/session.har", "--color", "always"])
    try expectGolden("waterfall-ascii", ["waterfall", "har/session.har", "--color", "always"], environment: ["LC_ALL": "C"])
  }
}
