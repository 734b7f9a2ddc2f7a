import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Waterfall")
struct WaterfallTextTests {
  private static func entry(at seconds: String, page: String?, connection: String, url: String = "http://h.example/a") -> HAREntry
  {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:\(seconds)Z"
    entry.pageref = page
    entry.request.url = url
    entry.custom["_connectionId"] = .string(connection)
    entry.timings = HARTimings(blocked: 0, dns: -1, connect: -1, send: 0, wait: 60, receive: 40, ssl: -1)
    entry.time = 100
    return entry
  }

  private static func waterfall(by grouping: WaterfallGrouping) -> Waterfall {
    var waterfall = Waterfall(grouping: grouping)
    // In order of completion, pages behind the entries.
    waterfall.add(entry(at: "05.300", page: "page_1", connection: "7"), number: 1)
    waterfall.add(entry(at: "05.000", page: "page_1", connection: "8", url: "http://h.example/first?x=1"), number: 2)
    waterfall.add(entry(at: "06.000", page: "page_2", connection: "7", url: "https://other.example/"), number: 3)
    var lost = entry(at: "06.100", page: "page_2", connection: "9")
    lost.startedDateTime = "soon"
    waterfall.add(lost, number: 4)
    waterfall.add(
      HARPage(startedDateTime: "", id: "page_1", title: "log in", pageTimings: HARPageTimings(onContentLoad: 50, onLoad: 350)))
    return waterfall
  }

  private func lines(_ grouping: WaterfallGrouping, width: Int = 80, palette: Palette = Palette(isColored: false)) -> [String] {
    WaterfallText(Self.waterfall(by: grouping), width: width, palette: palette).lines
  }

  @Test("By page: each has its own scale, exchanges stand in the order in which they began")
  func pages() {
    #expect(
      lines(.page) == [
        "log in  2 exchanges in 400ms, content 50.0ms, loaded 350ms, http://h.example",
        "                                   |0       |100ms    |200ms   |300ms",
        "   2  200 GET /first?x=1           wwwwwwrrrr                              100ms",
        "   1  200 GET /a                                               wwwwwwrrrr  100ms",
        "",
        "page_2  1 exchange in 100ms, https://other.example",
        "                                   |0       |25ms     |50ms    |75ms",
        "   3  200 GET /                    wwwwwwwwwwwwwwwwwwwwwwwrrrrrrrrrrrrrrr  100ms",
        "",
        "not drawn, without a date: 1 exchange",
        "",
        "C client  P proxy  b blocked  d dns  c connect  t TLS  s send  w wait  r receive",
      ])
  }

  @Test("By connection: all have one scale")
  func connections() {
    let lines = lines(.connection)
    #expect(lines.filter { $0.hasPrefix("connection") }.map { String($0.prefix(12)) } == ["connection 8", "connection 7"])
    #expect(lines.filter { $0.contains("|500ms") }.count == 2)
  }

  @Test("Lines fit", arguments: [80, 100, 160, 250])
  func width(width: Int) {
    for grouping in WaterfallGrouping.allCases {
      #expect(lines(grouping, width: width).allSatisfy { $0.count <= width })
    }
  }

  @Test("Colours stand for letters; without Unicode the letters are coloured")
  func colors() {
    let blocks = lines(.page, palette: Palette(isColored: true)).joined()
    #expect(blocks.contains("\u{1B}[32m██████\u{1B}[0m\u{1B}[94m████\u{1B}[0m"))
    let letters = lines(.page, palette: Palette(isColored: true, isUnicode: false)).map {
      $0.replacing(/\u{1B}\[[0-9]*m/, with: "")
    }
    #expect(letters == lines(.page))
  }

  @Test("Nothing to draw")
  func empty() {
    #expect(WaterfallText(Waterfall(grouping: .page), width: 80, palette: Palette(isColored: false)).lines == ["no exchanges"])
  }

  @Test("A page's title cannot drive the terminal")
  func controls() {
    var waterfall = Waterfall(grouping: .page)
    waterfall.add(Self.entry(at: "05.000", page: "p", connection: "1"), number: 1)
    waterfall.add(HARPage(startedDateTime: "", id: "p", title: "\u{1B}[2J", pageTimings: HARPageTimings()))
    let text = WaterfallText(waterfall, width: 80, palette: Palette(isColored: false)).lines.joined()
    #expect(!text.contains("\u{1B}"))
  }

  @Test("The exchanges of a connection that overlap are drawn side by side, with their number at once", arguments: [80, 120])
  func multiplexed(width: Int) {
    var waterfall = Waterfall(grouping: .connection)
    for (number, second) in ["05.000", "05.010", "05.020", "05.100"].enumerated() {
      var entry = Self.entry(at: second, page: nil, connection: "4")
      entry.serverIPAddress = "192.0.2.1"
      entry.response.httpVersion = "HTTP/2"
      waterfall.add(entry, number: number + 1)
    }
    let lines = WaterfallText(waterfall, width: width, palette: Palette(isColored: false)).lines
    let heading = lines.prefix { !$0.contains("|0") }.joined()
    #expect(heading.hasPrefix("connection 4  4 exchanges in 200ms, 192.0.2.1, HTTP/2, up to 3 at once"))
    let starts = lines.filter { $0.contains("200 GET") }.map { $0.prefix { $0 != "w" }.count }
    #expect(starts.count == 4)
    #expect(starts[1] - starts[0] < 4 && starts[2] >= starts[1] && starts[3] > starts[2] + 5)
  }
}
