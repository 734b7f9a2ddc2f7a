import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Exchange cell")
struct ExchangeCellTests {
  private func text(_ name: String, _ entry: HAREntry, precise: Bool = false) throws -> String {
    ExchangeCell.text(of: try #require(QueryField(name: name)), in: entry, number: 3, clock: .utc, precise: precise)
  }

  @Test("Failures keep the status that came")
  func failures() throws {
    #expect(try text("status", .ordinary()) == "200")
    #expect(try text("status", .refused()) == "ERR")
    var cut = HAREntry.ordinary()
    cut.custom["_error"] = ["message": "reset"]
    #expect(try text("status", cut) == "200!")
    #expect(try text("status", .ended()) == "END")
    #expect(ExchangeCell.outcomeStyle(of: .ended()) == .plain && ExchangeCell.outcomeStyle(of: .refused()) == .red)
    var underWay = HAREntry.inFlight()
    #expect(try text("status", underWay) == "…")
    underWay.response.status = 200
    #expect(try text("status", underWay) == "200…")
    #expect(ExchangeCell.outcomeStyle(of: .inFlight()) == .plain)
    var streamed = HAREntry.ordinary()
    streamed.custom["_ended"] = ["by": "client", "phase": "receive"]
    #expect(try text("status", streamed) == "200")
  }

  @Test("A size that the log does not know is none; the decoded size stands in for the one on the wire")
  func sizes() throws {
    var entry = HAREntry.ordinary()
    entry.request.bodySize = -1
    entry.response.bodySize = -1
    #expect(try text("req.size", entry) == "-")
    #expect(try text("resp.size", entry) == "5")
    entry.response.content.size = 0
    #expect(try text("resp.size", entry) == "-")
  }

  @Test(
    "The time of day is that of the clock",
    arguments: [
      ("2026-01-02T03:04:05.678901Z", "03:04:05", "03:04:05.678"), ("2026-01-02T03:04:05Z", "03:04:05", "03:04:05.000"),
      ("2026-01-02T03:04:05.5+01:00", "02:04:05", "02:04:05.500"), ("nonsense", "-", "-"), ("", "-", "-"),
    ])
  func time(date: String, seconds: String, milliseconds: String) throws {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = date
    #expect(try text("start", entry) == seconds)
    #expect(try text("start", entry, precise: true) == milliseconds)
  }
}
