import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Durations of phases")
struct PhaseDurationsTests {
  @Test("The client's part is taken out of HAR's blocked, and out of the total")
  func client() {
    let entry = HAREntry.afterSlowClient()
    let durations = PhaseDurations(entry)
    #expect(durations[.client] == 100 && durations[.blocked] == 1.5 && durations[.connect] == 12)
    #expect(entry.total == 23.456)
    #expect(durations.longest?.phase == .client && durations.withoutClient.longest?.phase == .ssl)
    let sum = durations.disjoint.reduce(0) { $0 + $1.milliseconds }
    #expect((sum - entry.time).magnitude < 1e-6)
  }

  @Test("Other programs' logs, and exchanges that no client held up, have no such phase")
  func others() {
    var entry = HAREntry.ordinary()
    #expect(PhaseDurations(entry)[.client] == nil && PhaseDurations(entry)[.blocked] == 1 && entry.total == 123.456)
    entry.custom["_blocked"] = ["client": 0, "proxy": 1, "connection": 0]
    #expect(PhaseDurations(entry)[.client] == nil && PhaseDurations(entry)[.blocked] == 1 && entry.total == 123.456)
  }

  @Test("A part is no larger than the whole, and nonsense is none", arguments: [(500.0, 1.0), (-3, 0), (1, 1)])
  func nonsense(said: Double, taken: Double) {
    var entry = HAREntry.ordinary()
    entry.custom["_blocked"] = ["client": .number(HARNumber(said))]
    #expect(entry.clientTime == taken && PhaseDurations(entry)[.blocked] == 1 - taken)
    entry.custom["_blocked"] = "much"
    #expect(entry.clientTime == 0)
    entry.timings.blocked = -1
    entry.custom["_blocked"] = ["client": .number(HARNumber(said))]
    #expect(entry.clientTime == 0 && PhaseDurations(entry)[.blocked] == nil)
  }
}
