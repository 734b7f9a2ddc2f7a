import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Critical path")
struct CriticalPathTests {
  static func search(_ entries: [HAREntry], page: String? = nil) -> CriticalPathSearch {
    var search = CriticalPathSearch()
    for (index, entry) in entries.enumerated() { search.add(entry, number: index + 1) }
    search.add(HARPage(startedDateTime: "", id: "page_1", title: "log in"))
    guard search.select(page: page) else { return search }
    for (index, entry) in entries.enumerated() { search.readBody(of: entry, number: index + 1) }
    return search
  }

  static func path(of entries: [HAREntry]) -> CriticalPath {
    let paths = search(entries).paths
    return paths.first ?? CriticalPath(page: "", title: "", DependencyFinder([]))
  }

  /// - Parameters: milliseconds.
  static func entry(
    _ path: String, _ start: Int, _ length: Int, blocked: Int = 0, type: String = "application/json", body: String = "",
    referer: String? = nil, connection: String? = nil
  ) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:05.\(String(1_000 + start).dropFirst())001Z"
    entry.time = Double(length)
    entry.timings = HARTimings(
      blocked: Double(blocked), dns: -1, connect: -1, send: 0, wait: Double(length - blocked - 1), receive: 1)
    entry.request.url = "http://h.example" + path
    entry.request.headers = referer.map { [HARHeader(name: "Referer", value: "http://h.example" + $0)] } ?? []
    entry.response.content = HARContent(size: body.utf8.count, mimeType: type, text: body)
    if let connection { entry.custom["_connectionId"] = .string(connection) }
    return entry
  }

  private static func causes(_ path: CriticalPath, of number: Int) -> [String] {
    path.rows.filter { $0.number == number }.flatMap(\.causes).map { "\($0.reason) \($0.number)" }
  }

  @Test("A redirect leads to the next request for its target, by whatever form of its address")
  func redirect() {
    var old = Self.entry("/old", 0, 10)
    old.response.status = 302
    old.response.redirectURL = "../new?x#top"
    let path = Self.path(of: [old, Self.entry("/new?x", 12, 10), Self.entry("/new?x", 200, 10)])
    #expect(Self.causes(path, of: 2) == ["redirect 1"])
    #expect(Self.causes(path, of: 3) == ["order 2"])
  }

  @Test("What failed is tried again after a pause, unless something names it anew")
  func retry() {
    var refused = Self.entry("/stock", 0, 10)
    refused.response.status = 503
    let path = Self.path(of: [refused, Self.entry("/other", 20, 30), Self.entry("/stock", 300, 10)])
    #expect(Self.causes(path, of: 3) == ["retry 1"])
    let named = Self.path(of: [refused, Self.entry("/other", 20, 30, body: #"{"next":"/stock"}"#), Self.entry("/stock", 60, 10)])
    #expect(Self.causes(named, of: 3) == ["mention 2"])
  }

  @Test("A document that names its parts releases them with its first byte")
  func early() {
    let document = Self.entry("/", 0, 100, type: "text/html", body: "<img src=a.png><script src='//h.example/a.js'></script>")
    var slow = document
    slow.timings.wait = 20
    slow.timings.receive = 80
    let path = Self.path(of: [slow, Self.entry("/a.png", 30, 20, type: "image/png"), Self.entry("/a.js", 120, 50)])
    #expect(Self.causes(path, of: 2) == ["mention 1"])
    #expect(Self.causes(path, of: 3) == ["mention 1"])
    #expect(path.rows[2].clientTime == 20)
    #expect(path.paths == [[0, 2]])
    #expect(path.costliest?.number == 1)
  }

  @Test("The initiator that a browser logs counts, the referer only if nothing else names the exchange")
  func initiators() {
    let script = Self.entry("/app.js", 10, 20, type: "text/javascript", body: "fetch(`/api/orders?page=${n}`)", referer: "/")
    var stacked = Self.entry("/api/x", 31, 10, referer: "/")
    stacked.custom["_initiator"] = [
      "type": "script", "stack": ["callFrames": [["url": ""]], "parent": ["callFrames": [["url": "http://h.example/app.js"]]]],
    ]
    let path = Self.path(of: [
      Self.entry("/", 0, 9, type: "text/html"), script, stacked, Self.entry("/api/orders?page=2", 31, 10, referer: "/"),
    ])
    #expect(Self.causes(path, of: 2) == ["referer 1"])
    #expect(Self.causes(path, of: 3) == ["initiator 2"])
    #expect(Self.causes(path, of: 4) == ["mention 2"])
  }

  @Test("Exchanges of HTTP/1 wait for their connection; those that share one do not")
  func connections() {
    let serial = [
      Self.entry("/a", 0, 50, connection: "1"), Self.entry("/b", 0, 90, blocked: 51, connection: "1"),
    ]
    #expect(Self.causes(Self.path(of: serial), of: 2) == ["connection 1"])
    #expect(Self.path(of: serial).rows.map(\.saving) == [50, 40])
    let shared = serial + [Self.entry("/c", 10, 100, connection: "1")]
    #expect(Self.causes(Self.path(of: shared), of: 2).isEmpty)
  }

  @Test("Without an exchange, the time remains in which it opened a connection that others used, the client's own TLS included")
  func opening() {
    for version in ["HTTP/1.1", "HTTP/2"] {
      var first = Self.entry("/a", 0, 100, blocked: 30, connection: "1")
      var next = Self.entry("/b", 102, 50, connection: "1")
      (first.response.httpVersion, next.response.httpVersion) = (version, version)
      (first.request.httpVersion, next.request.httpVersion) = (version, version)
      first.timings.connect = 10
      first.timings.wait = 59
      #expect(Self.path(of: [first, next]).rows[0].saving == 60 + 30, "\(version)")
      first.custom[.overhead] = ["clientTLS": 25]
      #expect(Self.path(of: [first, next]).rows[0].saving == 60, "\(version)")
      next.custom["_connectionId"] = .string("2")
      #expect(Self.path(of: [first, next]).rows[0].saving == 100, "\(version)")
    }
  }

  @Test("A proxy sees a client that waits for a connection begin when one is free")
  func turns() {
    let document = Self.entry("/", 0, 20, type: "text/html", body: "<img src=/1.png><img src=/2.png>", connection: "1")
    let path = Self.path(of: [
      document, Self.entry("/1.png", 25, 40, type: "image/png", connection: "1"),
      Self.entry("/2.png", 66, 40, type: "image/png", connection: "1"),
    ])
    #expect(Self.causes(path, of: 3) == ["connection 2", "mention 1"])
    #expect(path.paths == [[0, 1, 2]])
  }

  @Test("Order alone counts after an exchange that can make a client go on")
  func order() {
    let program = Self.path(of: [Self.entry("/1", 0, 50), Self.entry("/2", 55, 20), Self.entry("/3", 500, 20)])
    #expect(Self.causes(program, of: 2) == ["order 1"])
    #expect(Self.causes(program, of: 3) == ["order 2"])
    let page = Self.path(of: [
      Self.entry("/", 0, 10, type: "text/html", body: "/late"), Self.entry("/login", 15, 60),
      Self.entry("/a.png", 20, 59, type: "image/png"), Self.entry("/late", 80, 10),
      Self.entry("/b.png", 20, 100, type: "image/png"),
    ])
    #expect(Self.causes(page, of: 4) == ["order 2", "mention 1"])
  }

  @Test("Tunnels, WebSockets and exchanges without a date are left out; extreme times end nothing")
  func extremes() {
    var upgrade = Self.entry("/ws", 0, 10)
    upgrade.response.status = 101
    var undated = Self.entry("/x", 0, 10)
    undated.startedDateTime = "soon"
    let search = Self.search([.tunnel(), upgrade, undated])
    #expect(search.lifetimes == 2 && search.undated == 1 && search.paths.isEmpty)
    var ancient = Self.entry("/y", 0, 10)
    ancient.startedDateTime = "0001-01-01T00:00:00Z"
    var endless = Self.entry("/z", 0, 10)
    endless.startedDateTime = "9999-12-31T23:59:59Z"
    endless.time = .infinity
    endless.timings = HARTimings(blocked: 1e300, send: -5, wait: .nan, receive: 1)
    var long = endless
    long.time = 1e300
    #expect(Self.path(of: [ancient, endless, long]).rows.count == 3)
  }

  @Test("A page is chosen by its title or id")
  func pages() {
    var other = Self.entry("/b", 10, 10)
    other.pageref = "page_2"
    let entries = [Self.entry("/a", 0, 10), other]
    #expect(Self.search(entries).paths.map(\.title) == ["log in", "page_2"])
    #expect(Self.search(entries, page: "log in").paths.map(\.title) == ["log in"])
    #expect(Self.search(entries, page: "page_1").paths.map(\.title) == ["log in"])
    #expect(Self.search(entries, page: "no").paths.isEmpty)
  }

  @Test("The table fits, and ends with a conclusion", arguments: [80, 120, 200])
  func text(width: Int) {
    let search = Self.search([
      Self.entry("/a", 0, 50), Self.entry("/b?" + String(repeating: "x", count: 300), 52, 100), Self.entry("/c", 52, 20),
    ])
    let lines = CriticalPathText(search, beside: 5, width: width, palette: Palette(isColored: false)).lines
    #expect(lines.allSatisfy { $0.cellCount <= width }, "\(lines)")
    #expect(lines.joined(separator: " ").contains("earlier: after 72.0ms, not 152ms. The client itself took 2.00ms of the path."))
  }

  @Test("No exchanges")
  func empty() {
    let lines = CriticalPathText(Self.search([]), beside: 5, width: 80, palette: Palette(isColored: false)).lines
    #expect(lines == ["no exchanges"])
  }
}
