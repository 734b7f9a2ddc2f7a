import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Times of tapeline and of the delivery")
struct ProxyTimeTests {
  @Test("Its own time is all of it: before the request, too")
  func whole() {
    var entry = HAREntry.ordinary()
    entry.timings.blocked = 100
    entry.custom["_overhead"] = ["request": .number(HARNumber(0.11)), "response": .number(HARNumber(0.2))]
    #expect(ProxyTime(entry)?.text == "itself took 0.11ms on the way out, 0.20ms on the way back")
    entry.custom["_blocked"] = ["client": 0, "proxy": .number(HARNumber(68.8)), "connection": 0]
    #expect(ProxyTime(entry)?.text == "itself took 68.8ms on the way out, 0.20ms on the way back")
    entry.custom["_overhead"] = [
      "request": .number(HARNumber(68.8)), "queue": .number(HARNumber(60.5)), "clientTLS": 3, "minting": .number(HARNumber(1.25)),
    ]
    #expect(
      ProxyTime(entry)?.text
        == "itself took 68.8ms on the way out; 60.5ms of it waiting for a processor to read what had come; "
        + "its TLS with the client took 3.00ms, 1.25ms of it for the certificate")
    entry.custom["_overhead"] = ["request": 2_100, "recorder": 2_000]
    #expect(ProxyTime(entry)?.text == "itself took 2.10s on the way out; 2.00s of it until the recorder had caught up")
    entry.custom["_overhead"] = ["recorder": 2_000]
    #expect(ProxyTime(entry)?.text == "2.00s until the recorder had caught up")
    #expect(ProxyTime(.ordinary()) == nil)
  }

  @Test("A response that its client took late has a length of its own, with a bar behind the others")
  func delivery() throws {
    var entry = HAREntry.ordinary()
    entry.custom["_events"] = ["responseLastByte": 123_456, "deliveredLast": 123_900]
    #expect(RecordedDelivery(entry) == nil, "every exchange has so much")
    entry.custom["_events"] = ["responseLastByte": 123_456, "deliveredLast": 623_456]
    #expect(RecordedDelivery(entry)?.milliseconds == 500)
    entry.custom["_events"] = ["responseLastByte": 123_456, "deliveredFirst": 623_456, "deliveredLast": 623_456]
    #expect(RecordedDelivery(entry) == nil, "until the first byte it was tapeline that took the time")
    entry.custom["_events"] = ["responseLastByte": 123_456, "deliveredLast": 623_456]
    let bars = PhaseBars(
      PhaseDurations(entry), total: entry.time, delivery: 500, width: 90, palette: Palette(isColored: false)
    ).lines
    #expect(bars.last?.hasPrefix("  delivery") == true && bars.last?.contains("500.000 ms") == true)
    let total = try #require(bars.dropLast().last)
    #expect(total.count < (bars.last?.count ?? 0), "the total ends where the delivery begins")
  }
}
