import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Exchange row")
struct ExchangeRowTests {
  @Test("An ordinary entry")
  func ordinary() {
    let row = ExchangeRow(number: 3, entry: .ordinary())
    #expect(row.number == 3)
    #expect(row.method == "GET")
    #expect(row.outcome == .status(200))
    #expect(row.sent == 0)
    #expect(row.received == 5)
    #expect(row.total == 123.456)
  }

  @Test("−1 and absent phases did not happen; 0 did")
  func phases() {
    var entry = HAREntry.ordinary()
    entry.timings = HARTimings(blocked: nil, dns: -1, connect: 0, send: 0, wait: 1.5, receive: 2, ssl: -1)
    let phases = ExchangeRow(number: 1, entry: entry).phases
    #expect(phases[.blocked] == nil)
    #expect(phases[.dns] == nil)
    #expect(phases[.connect] == 0)
    #expect(phases[.ssl] == nil)
    #expect(phases[.wait] == 1.5)
  }

  @Test("Failures keep the status that came")
  func failures() {
    #expect(ExchangeRow(number: 1, entry: .refused()).outcome == .failed(status: nil))
    var cut = HAREntry.ordinary()
    cut.custom["_error"] = ["message": "reset"]
    #expect(ExchangeRow(number: 1, entry: cut).outcome == .failed(status: 200))
  }

  @Test("A size that the log does not know is none; the decoded size stands in for the one on the wire")
  func sizes() {
    var entry = HAREntry.ordinary()
    entry.request.bodySize = -1
    entry.response.bodySize = -1
    #expect(ExchangeRow(number: 1, entry: entry).sent == nil)
    #expect(ExchangeRow(number: 1, entry: entry).received == 5)
    entry.response.content.size = 0
    #expect(ExchangeRow(number: 1, entry: entry).received == nil)
  }

  @Test(
    "The time of day is what the log says",
    arguments: [
      ("2026-01-02T03:04:05.678901Z", "03:04:05", "03:04:05.678"), ("2026-01-02T03:04:05Z", "03:04:05", "03:04:05.000"),
      ("2026-01-02T03:04:05.5+01:00", "03:04:05", "03:04:05.500"), ("nonsense", "-", "-"), ("", "-", "-"),
    ])
  func time(text: String, seconds: String, milliseconds: String) {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = text
    let row = ExchangeRow(number: 1, entry: entry)
    #expect(row.timeOfDay(milliseconds: false) == seconds)
    #expect(row.timeOfDay(milliseconds: true) == milliseconds)
  }
}
