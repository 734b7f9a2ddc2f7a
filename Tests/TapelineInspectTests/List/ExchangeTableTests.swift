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
    let table = ExchangeTable(columns: columns ?? .standard(width: width), width: width, palette: palette)
    return ([table.heading] + Self.rows.map { table.line(for: $0.entry, number: $0.number) }).joined(separator: "\n")
  }

  @Test("80 columns: the phases are a strip")
  func narrow() {
    #expect(
      text(width: 80) == """
           # start    method  URL                       code  sent  recv phases    total
           1 03:04:05 GET     https://api.…e=2&size=100  200     0   15K ctwwwwwr  123ms
           2 03:04:06 POST    http://127.0.0.1:9/x       404  2.0K    27 wwwwwwrr 1.71ms
           3 03:04:07 CONNECT https://pinn…example:443/  ERR     -     - bbcccccc 4.00ms
        12345 -        GET     http://h/\u{FFFD}[31m            200!     0  1.0G wwwwwwrr  1h06m
        """)
  }

  @Test("160 columns: each phase has its column")
  func wide() {
    #expect(
      text(width: 160) == """
           # start        method  URL                                                 code  sent  recv client blocked    dns connect    ssl   send   wait receive  total
           1 03:04:05.678 GET     https://api.example.com/v…90/orders?page=2&size=100  200     0   15K      -  0.20ms 2.00ms  30.5ms 20.0ms 0.50ms 80.0ms  9.50ms  123ms
           2 03:04:06.000 POST    http://127.0.0.1:9/x                                 404  2.0K    27      -  0.05ms      -       -      - 0.01ms 1.25ms  0.40ms 1.71ms
           3 03:04:07.500 CONNECT https://pinned.example:443/                          ERR     -     -      -  1.00ms      -  3.00ms      - 0.00ms 0.00ms  0.00ms 4.00ms
        12345 -            GET     http://h/\u{FFFD}[31m                                      200!     0  1.0G      -  0.05ms      -       -      - 0.01ms 1.25ms  0.40ms  1h06m
        """)
  }

  @Test("Every line but that of a five-digit number is exactly as wide as asked", arguments: [80, 100, 139, 140, 160, 250])
  func width(width: Int) {
    let table = ExchangeTable(columns: .standard(width: width), width: width, palette: Palette(isColored: false))
    #expect(table.heading.count == width)
    for row in Self.rows.dropLast() {
      #expect(table.line(for: row.entry, number: row.number).count == width)
    }
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
        12345 a=1, b=2                  - cut off                        true
        """)
  }
}
