import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Durations of phases")
struct PhaseDurationsTests {
  @Test("The parts of client and proxy are taken out of HAR's blocked, and out of the total")
  func apart() {
    let entry = HAREntry.afterSlowClient()
    let durations = PhaseDurations(entry)
    #expect(durations[.client] == 100 && durations[.proxy] == 1 && durations[.blocked] == 0.5 && durations[.connect] == 12)
    #expect(entry.total == 22.456)
    #expect(durations.longest?.phase == .client && durations.ofTotal.longest?.phase == .ssl)
    let sum = durations.disjoint.reduce(0) { $0 + $1.milliseconds }
    #expect((sum - entry.time).magnitude < 1e-6, "HAR's time is the sum of its phases")
    let rest = durations.ofTotal.disjoint.reduce(0) { $0 + $1.milliseconds }
    #expect(entry.total.map { (rest - $0).magnitude < 1e-6 } == true, "and the total that of its own")
  }

  @Test("Other programs' logs, and exchanges that nobody held up, have no such phases")
  func others() {
    var entry = HAREntry.ordinary()
    #expect(PhaseDurations(entry)[.client] == nil && PhaseDurations(entry)[.blocked] == 1 && entry.total == 123.456)
    entry.custom["_blocked"] = ["client": 0, "proxy": 0, "connection": 1]
    #expect(PhaseDurations(entry)[.proxy] == nil && PhaseDurations(entry)[.blocked] == 1 && entry.total == 123.456)
  }

  @Test(
    "A part is no larger than the whole, both are not either, and nonsense is none",
    arguments: [(500.0, 0.0, 1.0, 0.0), (-3, -1, 0, 0), (1, 1, 1, 0), (0.25, 9, 0.25, 0.75), (1e300, 1, 1, 0), (-1, 0.5, 0, 0.5)])
  func nonsense(client: Double, proxy: Double, taken: Double, own: Double) {
    var entry = HAREntry.ordinary()
    let said: HARValue = ["client": .number(HARNumber(client)), "proxy": .number(HARNumber(proxy))]
    entry.custom["_blocked"] = said
    #expect(entry.shares == BlockedShares(client: taken, proxy: own) && PhaseDurations(entry)[.blocked] == 1 - taken - own)
    entry.custom["_blocked"] = "much"
    #expect(entry.shares == BlockedShares())
    entry.timings.blocked = -1
    entry.custom["_blocked"] = said
    #expect(entry.shares == BlockedShares() && PhaseDurations(entry)[.blocked] == nil)
  }
}
