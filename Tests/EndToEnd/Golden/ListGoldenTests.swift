import Testing

@Suite("Golden: list")
struct ListGoldenTests {
  @Test(
    "The table, by width",
    arguments: ["session", "faithful", "chrome", "chromium-page", "firefox-page", "mitmproxy-page", "playwright-page"])
  func table(capture: String) throws {
    try expectGolden("list-\(capture)", ["list", "har/\(capture).har"])
  }

  @Test("One host, ten hosts and a browser, at every kind of width", arguments: ["one-host", "ten-hosts", "browser-session"])
  func layout(capture: String) throws {
    try expectGolden("list-\(capture)", ["list", "har/\(capture).har"], columns: [40, 60, 80, 120, 200])
  }

  @Test("Sorted by time, times in UTC")
  func sorted() throws {
    try expectGolden("list-utc", ["list", "har/ten-hosts.har", "--sort", "total:desc", "--limit", "8", "--utc"], columns: [80])
  }

  @Test("What is chosen, in which order, and how much of it")
  func chosen() throws {
    try expectGolden("list-slowest", ["list", "har/session.har", "--sort", "total:desc", "--limit", "3"])
    try expectGolden("list-filter", ["list", "har/session.har", "--filter", #"error or status >= 400"#])
    try expectGolden(
      "list-columns", ["list", "har/session.har", "--columns", #"number,host,status,wait,resp.header["content-type"],error"#])
  }

  @Test("For programs")
  func programs() throws {
    try expectGolden("list-json", ["list", "har/session.har", "--json", "--limit", "3"], columns: [80])
    try expectGolden("list-csv", ["list", "har/session.har", "--csv", "--limit", "3"], columns: [80])
  }

  @Test("In colours, and without characters beyond ASCII")
  func look() throws {
    try expectGolden("list-color", ["list", "har/session.har", "--color", "always"])
    try expectGolden("list-ascii", ["list", "har/session.har", "--color", "always"], environment: ["LC_ALL": "C"])
  }

  @Test("What cannot be understood is shown by its place")
  func errors() throws {
    try expectGolden(
      "list-query-error", ["list", "har/session.har", "--filter", "hots ~ \"api\" and wait > 5KiB"], columns: [80])
    try expectGolden("list-unit-error", ["list", "har/session.har", "--filter", "status >= 500 and wait > 5KiB"], columns: [80])
    try expectGolden("list-sort-error", ["list", "har/session.har", "--sort", "total:down"], columns: [80])
    try expectGolden("list-no-file", ["list", "har/absent.har"], columns: [80])
  }
}
