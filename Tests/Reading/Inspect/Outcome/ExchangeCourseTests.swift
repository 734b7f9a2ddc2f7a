import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Courses of exchanges")
struct ExchangeCourseTests {
  private static func socket() -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.response.status = 101
    entry.time = 60_000
    return entry
  }

  private static func openTunnel() -> HAREntry {
    var entry = HAREntry.tunnel()
    entry.custom["_tunnel"] = ["toServer": 1, "toClient": 2]
    entry.time = 60_000
    return entry
  }

  private static func broken() -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.custom["_error"] = ["message": "reset"]
    return entry
  }

  @Test("Answered is what came to its end, whatever it says")
  func courses() {
    var notFound = HAREntry.ordinary()
    notFound.response.status = 404
    let courses = [
      .ordinary(), notFound, FailedOperationTests.exhausted, FailedOperationTests.graphQL, .refused(), Self.broken(), .ended(),
      .inFlight(),
      Self.socket(), Self.openTunnel(),
    ].map { ExchangeCourse($0) }
    #expect(courses == [.answered, .answered, .answered, .answered, .failed, .failed, .ended, .inFlight, .switched, .tunnel])
  }

  @Test("The figures of times are of answered exchanges, and the others are counted beside them")
  func statistics() throws {
    var statistics = CaptureStatistics(by: [.host])
    let entries = [HAREntry.ordinary(), .refused(), Self.broken(), .ended(), Self.socket(), Self.openTunnel()]
    for (index, entry) in entries.enumerated() { statistics.add(entry, number: index + 1) }
    #expect(statistics.all.exchanges == 5 && statistics.all.failures == 2 && statistics.all.ended == 1)
    #expect(statistics.switched == 1 && statistics.tunnels == 1)
    #expect(statistics.all.total.count == 1 && statistics[.wait].count == 1)
    #expect(statistics.rankedGroups.first?.statistics.total.count == 1)
    #expect(statistics.slowest.exchanges.map(\.place.number) == [1, 3, 2, 4])
  }

  @Test(
    "A condition that names others asks for their times",
    arguments: [
      ("error", 2), ("ended", 1), (#"type == "websocket""#, 1), ("status == 101", 1), (#"method == "CONNECT""#, 1), ("tunnel", 1),
      ("status >= 200", 1),
    ])
  func asked(filter: String, count: Int) throws {
    let query = try Query(filter)
    var statistics = CaptureStatistics(by: [.host], filter: query)
    let rule = try Assertion("max(total, \(filter)) < 1h")
    var check = AssertionCheck(rule, baseline: AssertionBaseline(for: rule), naming: 1)
    let entries = [HAREntry.ordinary(), .refused(), Self.broken(), .ended(), Self.socket(), Self.openTunnel()]
    for (index, entry) in entries.enumerated() {
      check.add(entry, number: index + 1)
      if query.matches(entry, number: index + 1) { statistics.add(entry, number: index + 1) }
    }
    #expect(statistics.all.total.count == count)
    #expect(check.result.population == count)
  }
}
