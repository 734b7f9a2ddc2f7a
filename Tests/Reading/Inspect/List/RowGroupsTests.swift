import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Row groups")
struct RowGroupsTests {
  private static let table = ExchangeTable(
    columns: .standard(width: 80), width: 80, palette: Palette(isColored: false), clock: .utc)

  private func entry(_ url: String, at date: String = "2026-01-02T03:04:05Z", method: String = "GET") -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.request.url = url
    entry.request.method = method
    entry.startedDateTime = date
    return entry
  }

  /// The URL of each row, and the other lines as they are.
  private func outline(_ entries: [HAREntry]) -> [String] {
    var groups = Self.table.groups
    var lines: [String] = []
    for (index, entry) in entries.enumerated() { lines += groups.lines(adding: Self.table.row(for: entry, number: index + 1)) }
    lines += groups.rest()
    return lines.map { line in
      line.first == " " ? String(line.split(separator: " ").first { $0.contains("/") || $0.contains(":4") } ?? "?") : line
    }
  }

  @Test("One host has one line, with the day")
  func one() {
    #expect(
      outline([entry("http://a.example/1"), entry("http://a.example/2")]) == ["http://a.example  2026-01-02 UTC", "/1", "/2"])
  }

  @Test("Some rows of a host are a group, fewer name it themselves")
  func runs() {
    let hosts = ["a", "a", "a", "b", "a", "b", "c", "b", "b", "b", "b", "a"]
    #expect(
      outline(hosts.enumerated().map { entry("http://\($1).example/\($0)") }) == [
        "http://a.example  2026-01-02 UTC", "/0", "/1", "/2", "b.example/3", "/4", "b.example/5", "c.example/6",
        "http://b.example", "/7",
        "/8", "/9", "/10", "a.example/11",
      ])
  }

  @Test("Where hosts take turns, all name them; https goes without saying")
  func turns() {
    let urls = ["https://a.example/1", "https://b.example/2", "http://c.example/3", "https://a.example/4", "https://b.example/5"]
    #expect(
      outline(urls.map { entry($0) }) == [
        "2026-01-02 UTC", "a.example/1", "b.example/2", "http://c.example/3", "a.example/4", "b.example/5",
      ])
  }

  @Test("A row that has no host stands where it came, and so does what was held back")
  func tunnels() {
    let a = entry("http://a.example/1")
    let entries = [
      a, a, a, entry("http://b.example/2"), entry("https://c.example:443/", method: "CONNECT"), entry("http://b.example/3"),
    ]
    #expect(
      outline(entries) == ["http://a.example  2026-01-02 UTC", "/1", "/1", "/1", "b.example/2", "c.example:443", "b.example/3"])
  }

  @Test("A new day has a line of its own; a row without a date belongs to the one before")
  func days() {
    let entries = [
      entry("http://a.example/1"), entry("http://a.example/2", at: "broken"), entry("http://a.example/3"),
      entry("http://b.example/4"),
      entry("http://a.example/5", at: "2026-01-03T00:00:00Z"),
    ]
    #expect(
      outline(entries) == [
        "http://a.example  2026-01-02 UTC", "/1", "/2", "/3", "b.example/4", "http://a.example  2026-01-03 UTC", "/5",
      ])
  }

  @Test("Without times there is no day, and without URLs only the day")
  func columns() throws {
    func lines(_ columns: String) throws -> [String] {
      let table = ExchangeTable(
        columns: try ListColumns(columns), width: 40, palette: Palette(isColored: false), clock: .utc)
      var groups = table.groups
      return groups.lines(adding: table.row(for: entry("http://a.example/1"), number: 1)) + groups.rest()
    }
    #expect(try lines("number,url") == ["http://a.example", "   1 /1"])
    #expect(try lines("number,start") == ["2026-01-02 UTC", "   1 03:04:05.000"])
    #expect(try lines("number,method") == ["   1 GET"])
  }

  @Test("No line is wider than was asked for, and what is held back is bounded")
  func bounds() {
    var groups = RowGroups(width: 30, palette: Palette(isColored: false))
    let table = ExchangeTable(columns: .standard(width: 30), width: 30, palette: Palette(isColored: false), clock: .utc)
    var printed = 0
    for number in 1...100 {
      let url = "http://\(String(repeating: "h", count: 40))-\(number % 7).example/\(number)"
      let lines = groups.lines(adding: table.row(for: entry(url), number: number))
      #expect(lines.allSatisfy { $0.cellCount <= 30 })
      printed += lines.count { $0.contains(" ") }
      #expect(number - printed <= 3)
    }
  }
}
