import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Exchange table")
struct ExchangeTableTests {
  private static let rows: [(number: Int, entry: HAREntry)] = {
    var first = HAREntry.ordinary()
    first.request.url = "https://api.example.com/v1/customers/1234567890/orders?page=2&size=100"
    first.response.bodySize = 15_360
    first.timings = HARTimings(blocked: 0.2, dns: 2, connect: 30.456, send: 0.5, wait: 80, receive: 9.5, ssl: 20)
    first.time = 122.656
    var second = HAREntry.ordinary()
    second.startedDateTime = "2026-01-02T03:04:06Z"
    second.request.method = "POST"
    second.request.url = "http://127.0.0.1:9/x"
    second.request.bodySize = 2_048
    second.response.status = 404
    second.response.bodySize = 27
    second.timings = HARTimings(blocked: 0.05, dns: -1, connect: -1, send: 0.01, wait: 1.25, receive: 0.4, ssl: -1)
    second.time = 1.71
    var third = HAREntry.refused()
    third.startedDateTime = "2026-01-02T03:04:07.5Z"
    third.request.method = "CONNECT"
    third.request.url = "https://pinned.example:443/"
    third.request.bodySize = -1
    var last = second
    last.startedDateTime = "broken"
    last.request.method = "GET"
    last.request.url = "http://h/\u{1B}[31m"
    last.request.bodySize = 0
    last.response.status = 200
    last.response.bodySize = 1 << 30
    last.custom["_error"] = "cut off"
    last.time = 4_000_000
    return [(1, first), (2, second), (3, third), (12_345, last)]
  }()

  private func text(width: Int, columns: ListColumns? = nil, palette: Palette = Palette(isColored: false)) -> String {
    let table = ExchangeTable(columns: columns ?? .standard(width: width), width: width, palette: palette, clock: .utc)
    var groups = table.groups
    var lines = [table.heading]
    for row in Self.rows { lines += groups.lines(adding: table.row(for: row.entry, number: row.number)) }
    return (lines + groups.rest()).joined(separator: "\n")
  }

  @Test("80 columns: the phases are a strip")
  func narrow() {
    #expect(
      text(width: 80) == """
           # start    method URL                              code  recv phases    total
        2026-01-02 UTC
           1 03:04:05 GET    api.example.com/v1/cus…/orders?…  200   15K ctwwwwwr  123ms
           2 03:04:06 POST   http://127.0.0.1:9/x              404    27 wwwwwwrr 1.71ms
           3 03:04:07 CONNECT pinned.example:443               ERR     - bbcccccc 4.00ms
        12345 -        GET    http://h/\u{FFFD}[31m                  200!  1.0G wwwwwwrr  1h06m
        """)
  }

  @Test("160 columns: each phase has its column")
  func wide() {
    #expect(text(width: 160).contains("   1 03:04:05.678 GET    api.example.com/v1/customers/1234567890/orders?page…  200"))
    #expect(text(width: 160).contains("     -  0.20ms 2.00ms  30.5ms 20.0ms 0.50ms 80.0ms  9.50ms  123ms"))
  }

  @Test(
    "No line is wider than asked, at any width; the rows fill it",
    arguments: [20, 30, 35, 36, 55, 56, 64, 65, 71, 72, 80, 99, 100, 120, 139, 140, 200, 250])
  func width(width: Int) {
    let lines = text(width: width).split(separator: "\n")
    #expect(lines.allSatisfy { String($0).cellCount <= width })
    #expect(lines.dropFirst(2).allSatisfy { String($0).cellCount == width })
  }

  @Test("Characters of two cells and marks of none keep the columns where they are", arguments: [40, 60, 80, 120])
  func cells(width: Int) {
    var wide = HAREntry.ordinary()
    wide.request.url = "http://例え.example/画像/e\u{301}te\u{301}/ランプ🏮ランプ👩‍💻ランプ.webp"
    let table = ExchangeTable(columns: .standard(width: width), width: width, palette: Palette(isColored: false), clock: .utc)
    let row = table.row(for: wide, number: 1)
    for origin in [nil, "http://例え.example"] { #expect(row.line(under: origin).cellCount == width) }
  }

  @Test("Colour adds nothing but escape sequences around cells, where letters stay letters")
  func color() {
    let colored = text(width: 160, palette: Palette(isColored: true))
    #expect(colored.contains("\u{1B}[32m 200\u{1B}[0m"))
    #expect(colored.contains("\u{1B}[31m ERR\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[[0-9]*m/, with: "") == text(width: 160))
    let letters = text(width: 80, palette: Palette(isColored: true, isUnicode: false))
    #expect(letters.replacing(/\u{1B}\[[0-9]*m/, with: "") == text(width: 80))
  }

  @Test("A URL cannot drive the terminal")
  func controls() {
    #expect(!text(width: 160).contains("\u{1B}"))
  }

  @Test("Chosen columns: headers under their names, texts as wide as there is room, what is not known as -")
  func chosen() throws {
    let columns = try ListColumns(#"number,resp.header["set-cookie"],dns,error,reused"#)
    #expect(
      text(width: 70, columns: columns) == """
           # set-cookie              dns error                          reused
           1 a=1, b=2             2.00ms -                              false
           2 a=1, b=2                  - -                              true
           3 -                         - upstream refuse…ection refused false
        12345 a=1, b=2                  - cut off                       true
        """)
  }
}
