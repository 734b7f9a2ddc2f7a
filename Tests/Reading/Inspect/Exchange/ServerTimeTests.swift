import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("The server's own time, and its trace")
struct ServerTimeTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// Waited for 80 ms.
  private static func entry(_ timing: String..., trailers: String? = nil, trace: [String] = []) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.response.headers += timing.map { HARHeader(name: "server-timing", value: $0) }
    if let trailers { entry.response.custom["_trailers"] = [["name": "Server-Timing", "value": .string(trailers)]] }
    entry.request.headers += trace.map { HARHeader(name: "Traceparent", value: $0) }
    return entry
  }

  @Test("The total, else the sum, else the longest where the sum cannot be")
  func rule() {
    #expect(ServerTime(Self.entry("db;dur=20, Total;dur=60"))?.total == 60)
    #expect(ServerTime(Self.entry("db;dur=20", "app;dur=30, hit"))?.total == 50)
    #expect(ServerTime(Self.entry("db;dur=20, app;dur=70"))?.total == 70)
    #expect(ServerTime(Self.entry("db;dur=20", trailers: "late;dur=5"))?.total == 25)
    #expect(ServerTime(Self.entry("hit"))?.total == nil)
    #expect(ServerTime(Self.entry("two words")) == nil && ServerTime(.ordinary()) == nil)
  }

  @Test("The wait is divided into the network's and the server's, and what cannot be is said")
  func text() {
    var entry = Self.entry(#"db;dur=20;desc="orders", total;dur=60, hit"#)
    #expect(ServerTime(entry)?.text == "80.0ms = 20.0ms network + 60.0ms server (db orders 20.0ms, total 60.0ms, hit)")
    entry.custom["_tcp"] = ["server": ["minRtt": 30]]
    #expect(ServerTime(entry)?.text.hasSuffix("hit); a round trip takes at least 30.0ms") == true)
    entry.custom["_tcp"] = ["server": ["minRtt": 19]]
    #expect(ServerTime(entry)?.text.hasSuffix("hit)") == true)
    #expect(ServerTime(Self.entry("total;dur=90"))?.text == "80.0ms, but the server says 90.0ms (total 90.0ms)")
    #expect(ServerTime(Self.entry("hit"))?.text == "the server gives no time (hit)")
  }

  @Test("One well-formed traceparent is a trace")
  func trace() {
    #expect(RecordedTrace(Self.entry(trace: [Self.parent]))?.id == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(
      RecordedTrace(Self.entry(trace: [Self.parent]))?.text
        == "4bf92f3577b34da6a3ce929d0e0e4736, span 00f067aa0ba902b7, sampled")
    #expect(RecordedTrace(Self.entry(trace: [Self.parent, Self.parent])) == nil)
    #expect(RecordedTrace(Self.entry(trace: ["x"])) == nil && RecordedTrace(.ordinary()) == nil)
  }

  @Test(
    "Queries",
    arguments: [
      "server == 60ms", "server.db > 10ms", "server.DB < 0.03s", "not server.none", "server.total",
      "wait > 50ms and server > 50ms",
      #"trace == "4bf92f3577b34da6a3ce929d0e0e4736""#, #"trace like "4bf9*""#, "trace",
    ])
  func queries(query: String) throws {
    let entry = Self.entry("db;dur=20, total;dur=60", trace: [Self.parent])
    #expect(try Query(query).matches(entry, number: 1))
    #expect(try !Query("server or trace").matches(.ordinary(), number: 1))
  }

  @Test("Columns, and statistics by trace")
  func columns() throws {
    let columns = try ListColumns("server,server.db,trace")
    #expect(columns.parts == [.fields, .custom])
    let values = columns.values(of: Self.entry("db;dur=20, total;dur=60", trace: [Self.parent]), number: 1)
    #expect(values == [.number(60), .number(20), .text("4bf92f3577b34da6a3ce929d0e0e4736")])
    var statistics = CaptureStatistics(by: [.trace])
    for trace in [[Self.parent], [Self.parent], []] { statistics.add(Self.entry(trace: trace), number: 1) }
    #expect(
      Dictionary(uniqueKeysWithValues: statistics.rankedGroups.map { ($0.name, $0.statistics.exchanges) }) == [
        "4bf92f3577b34da6a3ce929d0e0e4736": 2, "none": 1,
      ])
    #expect(CaptureStatistics.parts([.trace]).contains(.fields))
  }
}
