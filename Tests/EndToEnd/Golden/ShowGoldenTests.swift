import Testing

@Suite("Golden: show")
struct ShowGoldenTests {
  @Test("An exchange with JSON both ways, a picture, a stream, a failure; and those of other programs")
  func exchanges() throws {
    for (name, number) in [("json", 5), ("picture", 4), ("stream", 14), ("refused", 15), ("cut", 13)] {
      try expectGolden("show-\(name)", ["show", "har/session.har", String(number)])
    }
    for capture in ["chromium-page", "firefox-page", "mitmproxy-page", "playwright-page"] {
      try expectGolden("show-\(capture)", ["show", "har/\(capture).har", "--slowest"])
    }
  }

  @Test("The client's own time, what the proxy changed, what the client ended, and a limit of ours")
  func faithful() throws {
    for (name, number) in [("client", 1), ("changes", 3), ("ended", 6), ("limit", 7)] {
      try expectGolden("show-\(name)", ["show", "har/faithful.har", String(number)])
    }
  }

  @Test("Every view", arguments: ["headers", "body", "request-body", "raw", "curl", "debug"])
  func view(name: String) throws {
    try expectGolden("show-view-\(name)", ["show", "har/session.har", "5", "--\(name)"], columns: [80])
  }

  @Test("Timelines of logs that have none are made of their phases")
  func derived() throws {
    try expectGolden("show-debug-chromium", ["show", "har/chromium-page.har", "8", "--debug"], columns: [80])
  }

  @Test("Several, by number and by a filter")
  func several() throws {
    try expectGolden("show-several", ["show", "har/session.har", "2", "1"], columns: [80])
    try expectGolden("show-filter", ["show", "har/session.har", "--filter", "status >= 400", "--headers"], columns: [80])
  }

  @Test("In colours, and without characters beyond ASCII")
  func looks() throws {
    try expectGolden("show-color", ["show", "har/session.har", "5", "--color", "always"], columns: [80])
    try expectGolden("show-ascii", ["show", "har/session.har", "5"], columns: [80], environment: ["LC_ALL": "C"])
  }

  @Test("What is not there")
  func errors() throws {
    try expectGolden("show-no-such", ["show", "har/session.har", "99"], columns: [80])
    try expectGolden("show-no-number", ["show", "har/session.har"], columns: [80])
    try expectGolden("show-no-match", ["show", "har/session.har", "--filter", "status == 418"], columns: [80])
  }
}
