import Testing

@testable import TapelineInspect

@Suite("Exchange table")
struct ExchangeTableTests {
  private static let rows: [ExchangeRow] = {
    var phases = PhaseDurations()
    phases[.blocked] = 0.2
    phases[.dns] = 2
    phases[.connect] = 30.456
    phases[.ssl] = 20
    phases[.send] = 0.5
    phases[.wait] = 80
    phases[.receive] = 9.5
    var reused = PhaseDurations()
    reused[.blocked] = 0.05
    reused[.send] = 0.01
    reused[.wait] = 1.25
    reused[.receive] = 0.4
    return [
      ExchangeRow(
        number: 1, startedDateTime: "2026-01-02T03:04:05.678901Z", method: "GET",
        url: "https://api.example.com/v1/customers/1234567890/orders?page=2&size=100", outcome: .status(200), sent: 0,
        received: 15_360, phases: phases, total: 122.656),
      ExchangeRow(
        number: 2, startedDateTime: "2026-01-02T03:04:06Z", method: "POST", url: "http://127.0.0.1:9/x", outcome: .status(404),
        sent: 2_048, received: 27, phases: reused, total: 1.71),
      ExchangeRow(
        number: 3, startedDateTime: "2026-01-02T03:04:07.5Z", method: "CONNECT", url: "https://pinned.example:443/",
        outcome: .failed(status: nil), sent: nil, received: nil, phases: PhaseDurations(), total: 0),
      ExchangeRow(
        number: 12_345, startedDateTime: "broken", method: "GET", url: "http://h/\u{1B}[31m", outcome: .failed(status: 200),
        sent: 0,
        received: 1 << 30, phases: reused, total: 4_000_000),
    ]
  }()

  private func text(width: Int, isColored: Bool = false) -> String {
    let table = ExchangeTable(width: width, palette: Palette(isColored: isColored))
    return ([table.heading] + Self.rows.map(table.line)).joined(separator: "\n")
  }

  @Test("80 columns: the phases are a strip")
  func narrow() {
    #expect(
      text(width: 80) == """
           # start    method  URL                       code  sent  recv phases    total
           1 03:04:05 GET     https://api.…e=2&size=100  200     0   15K ctwwwwwr  123ms
           2 03:04:06 POST    http://127.0.0.1:9/x       404  2.0K    27 wwwwwwrr 1.71ms
           3 03:04:07 CONNECT https://pinn…example:443/  ERR     -     -          0.00ms
        12345 -        GET     http://h/\u{FFFD}[31m            200!     0  1.0G wwwwwwrr  1h06m
        """)
  }

  @Test("160 columns: each phase has its column")
  func wide() {
    #expect(
      text(width: 160) == """
           # start        method  URL                                                        code  sent  recv blocked    dns connect    ssl   send   wait receive  total
           1 03:04:05.678 GET     https://api.example.com/v1/cu…67890/orders?page=2&size=100  200     0   15K  0.20ms 2.00ms  30.5ms 20.0ms 0.50ms 80.0ms  9.50ms  123ms
           2 03:04:06.000 POST    http://127.0.0.1:9/x                                        404  2.0K    27  0.05ms      -       -      - 0.01ms 1.25ms  0.40ms 1.71ms
           3 03:04:07.500 CONNECT https://pinned.example:443/                                 ERR     -     -       -      -       -      -      -      -       - 0.00ms
        12345 -            GET     http://h/\u{FFFD}[31m                                             200!     0  1.0G  0.05ms      -       -      - 0.01ms 1.25ms  0.40ms  1h06m
        """)
  }

  @Test("Every line but that of a five-digit number is exactly as wide as asked", arguments: [80, 100, 139, 140, 160, 250])
  func width(width: Int) {
    let table = ExchangeTable(width: width, palette: Palette(isColored: false))
    #expect(table.heading.count == width)
    for row in Self.rows.dropLast() {
      #expect(table.line(for: row).count == width)
    }
  }

  @Test("Colour adds nothing but escape sequences around cells")
  func color() {
    let colored = text(width: 160, isColored: true)
    #expect(colored.contains("\u{1B}[32m 200\u{1B}[0m"))
    #expect(colored.contains("\u{1B}[31m ERR\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[[0-9]*m/, with: "") == text(width: 160))
  }

  @Test("A URL cannot drive the terminal")
  func controls() {
    #expect(!text(width: 160).contains("\u{1B}"))
  }
}
