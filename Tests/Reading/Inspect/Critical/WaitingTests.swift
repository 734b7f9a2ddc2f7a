import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("What a client waited for")
struct WaitingTests {
  private static func entry(
    _ path: String, _ start: Int, _ length: Int, blocked: Int = 0, type: String = "application/json", body: String = "{}",
    referer: String? = nil, connection: String? = nil
  ) -> HAREntry {
    CriticalPathTests.entry(
      path, start, length, blocked: blocked, type: type, body: body, referer: referer, connection: connection)
  }

  private static func path(of entries: [HAREntry], page: HARPage? = nil) throws -> CriticalPath {
    var search = CriticalPathSearch()
    if let page { search.add(page) }
    for (index, entry) in entries.enumerated() { search.add(entry, number: index + 1) }
    _ = search.select(page: nil)
    for (index, entry) in entries.enumerated() { search.readBody(of: entry, number: index + 1) }
    return try #require(search.paths.first)
  }

  private static func saving(_ path: CriticalPath, of number: Int) -> Double? {
    path.rows.first { $0.number == number }?.saving
  }

  @Test("A program that waits for several waits for the last of them, whatever it does then", arguments: [0, 40, 260, 500])
  func joins(pause: Int) throws {
    let path = try Self.path(of: [
      Self.entry("/a", 0, 20), Self.entry("/b", 20, 80), Self.entry("/c", 20, 300), Self.entry("/d", 20, 120),
      Self.entry("/e", 320 + pause, 50),
    ])
    #expect(path.paths == [[0, 2, 4]])
    #expect(path.costliest?.number == 3)
    #expect(path.costliest?.saving == 180, "down to the end of /d")
    #expect(path.rows[4].causes.map(\.reason) == [.join, .join, .join])
    #expect(path.costliest?.isSure == true)
  }

  @Test(
    "Of two that ended within the client's pause, either may be the one that it went on from",
    arguments: [(1, 0.5), (60, 0.5), (160, 0.85)])
  func nearlyTogether(apart: Int, expected: Double) throws {
    let path = try Self.path(of: [
      Self.entry("/a", 0, 20), Self.entry("/b", 20, 300 - apart), Self.entry("/c", 20, 300), Self.entry("/d", 363, 50),
    ])
    #expect(path.paths == [[0, 2, 3]])
    let beside = try #require(path.rows.first { $0.number == 2 })
    #expect(beside.slack == Double(apart) && beside.isSure == (expected > 0.6), "\(beside.confidence)")
  }

  @Test("What kept a place in a loop may have given it to one on the path, if the loop's limit is not that of the connections")
  func places() throws {
    // Three at a time, and five in the end, so that a replay with five connections does not come out as recorded.
    var entries = [
      Self.entry("/items/1", 0, 30, connection: "1"), Self.entry("/items/2", 0, 50, connection: "2"),
      Self.entry("/items/3", 0, 20, connection: "3"), Self.entry("/items/4", 21, 90, connection: "3"),
      Self.entry("/items/5", 31, 70, connection: "1"), Self.entry("/items/6", 51, 60, connection: "2"),
      Self.entry("/items/7", 102, 300, connection: "1"), Self.entry("/items/8", 112, 40, connection: "3"),
    ]
    for number in 1...5 { entries.append(Self.entry("/other/\(number)", 405, 40 + number, connection: "\(number)")) }
    let path = try Self.path(of: entries)
    #expect(path.costliest?.number == 7)
    let earlier = try #require(path.rows.first { $0.number == 4 })
    #expect(earlier.slack ?? 0 > 0 && !earlier.isSure, "without it, another worker would have come to /items/7 first")
    let last = try #require(path.rows.first { $0.number == 8 })
    #expect(last.isSure, "nobody on the path waited for a place after it")
  }

  @Test("Nobody waits for an icon, in a replay of the connections either")
  func iconsInReplays() throws {
    func items(_ icon: Int) -> [HAREntry] {
      // Two connections, and an item that waits for one.
      [
        Self.entry("/items/1", 0, 100, connection: "1"), Self.entry("/items/2", 0, 300, connection: "2"),
        Self.entry("/items/3", 101, 250, connection: "1"),
        Self.entry("/favicon.ico", 302, icon, type: "image/x-icon", connection: "2"),
      ]
    }
    let (short, long) = (try Self.path(of: items(10)), try Self.path(of: items(2_000)))
    #expect(Self.saving(long, of: 1) == Self.saving(short, of: 1) && Self.saving(long, of: 3) == Self.saving(short, of: 3))
    #expect(Self.saving(long, of: 1) ?? 0 > 50)
  }

  @Test("A picture holds up `load`, and with it what the page asks for then")
  func load() throws {
    var entries = [
      Self.entry("/", 0, 30, type: "text/html", body: "<img src=/1.png><img src=/2.png><script src=/app.js></script>"),
      Self.entry("/app.js", 40, 20, type: "text/javascript", body: "onload = () => fetch('/api/a')", referer: "/"),
      Self.entry("/1.png", 40, 600, type: "image/png", referer: "/"),
      Self.entry("/2.png", 40, 30, type: "image/png", referer: "/"),
    ]
    let during = try Self.path(of: entries + [Self.entry("/api/a", 72, 100, referer: "/")])
    #expect(during.rows[4].causes.first?.number == 2, "a picture that ended while another was under way holds up nothing")
    entries += [Self.entry("/api/a", 645, 100, referer: "/"), Self.entry("/api/b", 750, 100, referer: "/")]
    let path = try Self.path(of: entries)
    #expect(path.costliest?.number == 3)
    #expect(path.paths.first?.map { path.rows[$0].number } == [1, 3, 5, 6])
  }

  @Test("The log's own `load` says whether a picture held up what came then")
  func events() throws {
    let entries = [
      Self.entry("/", 0, 30, type: "text/html", body: "<img src=/1.png><script src=/app.js></script>"),
      Self.entry("/app.js", 40, 20, type: "text/javascript", body: "setTimeout(() => fetch('/api/a'), 300)", referer: "/"),
      Self.entry("/1.png", 40, 320, type: "image/png", referer: "/"),
      Self.entry("/api/a", 370, 100, referer: "/"),
    ]
    func page(_ load: Double) -> HARPage {
      HARPage(
        startedDateTime: "2026-01-02T03:04:05.000001Z", id: "page_1", title: "", pageTimings: HARPageTimings(onLoad: load))
    }
    #expect(try Self.path(of: entries, page: page(365)).rows[3].causes.first?.number == 3)
    #expect(try Self.path(of: entries, page: page(480)).rows[3].causes.first?.number == 2)
  }

  @Test("The log's `DOMContentLoaded` joins scripts and style sheets, whatever data came meanwhile")
  func contentLoad() throws {
    let entries = [
      Self.entry("/", 0, 30, type: "text/html", body: "<script src=/a.js></script><script src=/b.js></script>"),
      Self.entry("/a.js", 40, 200, type: "text/javascript", body: "fetch('/early')", referer: "/"),
      Self.entry("/b.js", 40, 90, type: "text/javascript", body: "start()", referer: "/"),
      Self.entry("/early", 100, 149, body: "{}", referer: "/"),
      Self.entry("/api/a", 252, 100, referer: "/"),
    ]
    func page(_ contentLoad: Double) -> HARPage {
      HARPage(
        startedDateTime: "2026-01-02T03:04:05.000001Z", id: "page_1", title: "",
        pageTimings: HARPageTimings(onContentLoad: contentLoad, onLoad: 900))
    }
    let path = try Self.path(of: entries, page: page(250))
    #expect(path.rows[4].causes.first?.number == 2 && path.rows[4].causes.filter { $0.reason == .join }.map(\.number) == [2, 3])
    #expect(try Self.path(of: entries, page: page(120)).rows[4].causes.first?.number == 4, "long after it, it says nothing")
  }

  @Test(
    "Nobody waits for favicons, beacons, reports, prefetches, and browsers' own errands",
    arguments: [
      ("/favicon.ico", [:], "GET"), ("/x", ["Sec-Purpose": "prefetch"], "GET"), ("/x", ["Sec-Fetch-Dest": "report"], "POST"),
      ("/x", ["Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty"], "POST"),
      ("/x", ["Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "empty"], "GET"),
      ("/x", ["Content-Type": "application/reports+json"], "POST"),
    ] as [(String, [String: String], String)])
  func errands(path: String, headers: [String: String], method: String) throws {
    var errand = Self.entry(path, 10, 900)
    errand.request.method = method
    errand.request.headers = headers.map { HARHeader(name: $0.key, value: $0.value) }
    var short = errand
    short.startedDateTime = Self.entry("/", 60, 1).startedDateTime
    short.time = 20
    let found = try Self.path(of: [Self.entry("/a", 0, 50), errand, short, Self.entry("/b", 100, 50)])
    #expect(found.duration == 150)
    #expect(found.rows.first { $0.number == 2 }?.slack == nil)
    #expect(found.rows.first { $0.number == 4 }?.causes.map(\.number) == [1])
  }

  @Test("What a client left behind is not the end, but a request that it gave up last is")
  func cutOff() throws {
    var left = Self.entry("/slow", 10, 400)
    left.custom["_ended"] = ["by": "client", "phase": "wait"]
    #expect(try Self.path(of: [Self.entry("/a", 0, 50), left, Self.entry("/b", 55, 50)]).duration == 105)
    var last = Self.entry("/slow", 60, 400)
    last.custom["_ended"] = ["by": "client", "phase": "wait"]
    #expect(try Self.path(of: [Self.entry("/a", 0, 50), last]).duration == 460)
  }

  @Test("A program that was told an address needs no other reason for a pause")
  func told() throws {
    let path = try Self.path(of: [
      Self.entry("/list", 0, 50, body: #"["/items/1"]"#), Self.entry("/other", 0, 200), Self.entry("/items/1", 300, 50),
    ])
    #expect(path.rows[2].causes.map(\.number) == [1])
  }

  @Test("A loop with a limit gives a free place to the next in its queue")
  func turns() throws {
    // Two at a time, over connections that many share. Without the slow one, the others find two places.
    let path = try Self.path(of: [
      Self.entry("/items/1", 0, 100), Self.entry("/items/2", 0, 500), Self.entry("/items/3", 101, 100),
      Self.entry("/items/4", 202, 100), Self.entry("/items/5", 303, 190), Self.entry("/end", 505, 50),
    ])
    #expect(path.rows[3].causes.map(\.reason) == [.turn])
    let saving = try #require(Self.saving(path, of: 2))
    #expect(saving > 190 && saving < 260, "\(saving): 390 ms of work are left for two places, and 290 are one after the other")
  }

  @Test("A slow reader has a response when it was delivered")
  func delivery() throws {
    var slow = Self.entry("/large", 0, 100)
    slow.custom["_events"] = ["deliveredLast": 700_000]
    let path = try Self.path(of: [slow, Self.entry("/next", 710, 50)])
    #expect(path.rows[0].duration == 700)
    #expect(path.rows[1].clientTime == 10)
  }

  @Test("Exchanges that are alike get advice together")
  func groups() throws {
    let pictures = (0..<6).map { Self.entry("/\($0).png", 40, 500, type: "image/png", referer: "/") }
    let document = Self.entry(
      "/", 0, 30, type: "text/html", body: (0..<6).map { "<img src=/\($0).png>" }.joined() + "<script src=/a.js></script>")
    let script = Self.entry("/a.js", 40, 20, type: "text/javascript", body: "fetch('/api')", referer: "/")
    let path = try Self.path(of: [document] + pictures + [script, Self.entry("/api", 545, 100, referer: "/")])
    let group = try #require(path.group)
    #expect(group.numbers == [2, 3, 4, 5, 6, 7])
    #expect(group.saving == 480)
    let sentence = CriticalPathText.sentence(about: path)
    #expect(sentence.contains("Without the 6 pictures (#2 to #7) together, it may come 480ms earlier."), "\(sentence)")
  }

  @Test("Below the stated confidence, the conclusion says \"may\"")
  func doubt() throws {
    let path = try Self.path(of: [
      Self.entry("/a", 0, 300, body: "{}"), Self.entry("/b", 0, 20), Self.entry("/b2", 25, 350), Self.entry("/c", 800, 20),
    ])
    #expect(path.costliest?.isSure == false)
    #expect(CriticalPathText.sentence(about: path).contains("the end may come"))
  }

  @Test("The conclusion names what may have cost more, if that is not sure")
  func rival() throws {
    // Either /b or /c may have been followed by /d after a pause, or /d waited for both.
    let path = try Self.path(of: [
      Self.entry("/a", 0, 20), Self.entry("/b", 20, 232), Self.entry("/c", 20, 200), Self.entry("/d", 300, 40),
      Self.entry("/e", 1_500, 81),
    ])
    #expect(path.costliest?.number == 5 && path.rival?.number == 3)
    let sentence = CriticalPathText.sentence(about: path)
    #expect(
      sentence.contains("would come 81.0ms earlier") && sentence.contains("; #3 may have cost more, up to 200ms."), "\(sentence)")
  }

  @Test("A path of any length fits a screen", arguments: [80, 200])
  func screen(width: Int) {
    var search = CriticalPathSearch()
    for number in 1...5_000 {
      search.add(Self.entry("/\(number)", number % 900, 1 + number % 7), number: number)
    }
    for number in 5_001...5_100 {
      var entry = Self.entry("/p", number % 900, 20)
      entry.pageref = "page_\(number)"
      search.add(entry, number: number)
    }
    _ = search.select(page: nil)
    let lines = CriticalPathText(search, beside: 5, width: width, palette: Palette(isColored: false)).lines
    #expect(lines.count < 200)
    #expect(lines.allSatisfy { $0.cellCount <= width })
  }
}
