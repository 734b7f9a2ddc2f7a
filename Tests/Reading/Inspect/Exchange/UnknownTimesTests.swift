import TapelineHAR
import Testing

@testable import TapelineInspect

/// A log may not say how long an exchange took: nothing shows 0 then, and no rule about it holds.
@Suite("Times that a log does not have")
struct UnknownTimesTests {
  private static func entry(time: Double, wait: Double = -1) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.time = time
    entry.timings = HARTimings(send: -1, wait: wait, receive: -1)
    return entry
  }

  private static let unknown = entry(time: -1)
  private static let derived = entry(time: -1, wait: 330)

  @Test("Values and rows")
  func values() throws {
    let columns = try ListColumns("total,time,wait")
    #expect(ExchangeRecords.json(Self.unknown, number: 1, columns: columns) == #"{"total":null,"time":null,"wait":null}"#)
    #expect(ExchangeRecords.json(Self.derived, number: 1, columns: columns) == #"{"total":330,"time":330,"wait":330}"#)
    #expect(EntryTable.line(for: Self.unknown, []).hasPrefix("2026-01-02T03:04:05.678901Z,,GET,"))
    #expect(EntryTable.line(for: Self.derived, []).hasPrefix("2026-01-02T03:04:05.678901Z,330,GET,"))
  }

  @Test("Statistics count the exchange, and not its time", arguments: [false, true])
  func statistics(hasSlowest: Bool) {
    var statistics = CaptureStatistics(by: [.host], slowest: hasSlowest ? 1 : 10)
    for (index, entry) in [Self.unknown, Self.derived, Self.unknown].enumerated() { statistics.add(entry, number: index + 1) }
    #expect(statistics.all.exchanges == 3 && statistics.all.total.count == 1 && statistics.all.total.maximum == 330)
    #expect(statistics.slowest.exchanges.map(\.place.number) == [2])
  }

  private func verdict(_ rule: String, _ entries: [HAREntry]) throws -> Bool {
    let assertion = try Assertion(rule)
    var check = AssertionCheck(assertion, baseline: AssertionBaseline(for: assertion), naming: 2)
    for (index, entry) in entries.enumerated() { check.add(entry, number: index + 1) }
    return check.result.outcome == .passed
  }

  @Test(
    "A rule about it fails, whichever way it points",
    arguments: [
      "p95(total) < 10ms", "max(time) < 1h", "min(total) >= 0", "mean(total) > 0ms", "sum(total) < 1h", "all(total < 1h)",
      "all(not total > 1h)", "none(total > 1h)", "count(total > 1h) == 0", "count(total < 1h) == 1", "ratio(time > 1h) < 1%",
      "none(total > 1h and status == 200)",
    ])
  func rules(rule: String) throws {
    #expect(try !verdict(rule, [Self.unknown]))
    #expect(try !verdict(rule, [Self.derived, Self.unknown]))
  }

  @Test(
    "Other rules do not mind, and derived times are times",
    arguments: ["p95(total) < 331ms", "none(total > 1h)", "all(total == 330)"])
  func others(rule: String) throws {
    #expect(try verdict(rule, [Self.derived]))
    #expect(try verdict("count(status == 200) == 2", [Self.derived, Self.unknown]))
    #expect(try verdict("any(total > 1ms)", [Self.derived, Self.unknown]))
  }

  @Test("A summary and a waterfall show a dash")
  func shown() {
    let lines = ExchangeSummary(
      number: 1, entry: Self.unknown, width: 80, palette: Palette(isColored: false), clock: .utc
    ).lines
    #expect(lines.contains { $0.hasPrefix("  total") && $0.hasSuffix(" -") })
    #expect(WaterfallBar(Self.unknown, number: 1)?.total == nil && WaterfallBar(Self.derived, number: 1)?.total == 330)
  }

  @Test("A status below 0 is no response", arguments: [-1, -999])
  func status(status: Int) {
    var entry = HAREntry.ordinary()
    entry.response.status = status
    #expect(RecordedFailure(entry)?.message == "no response (status \(status))")
    #expect(ExchangeOutcome(entry).text == "ERR")
    #expect(MessageHeads.lines(of: entry).count == 4)
  }

  @Test("What another program calls the connection is no port, and an empty type leaves no comma")
  func facts() {
    var entry = HAREntry.ordinary()
    entry.connection = "ClientPort:12345;EgressPort:443"
    entry.request.postData = HARPostData(mimeType: "", text: "a")
    let facts = ExchangeFacts(entry: entry, palette: Palette(isColored: false), clock: .utc).all
    #expect(facts.contains { $0.text.hasPrefix("192.0.2.1 (") })
    #expect(!facts.contains { $0.text.hasSuffix(", ") || $0.text.hasSuffix(",") })
  }
}
