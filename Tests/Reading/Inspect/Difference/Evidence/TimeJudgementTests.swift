import TapelineSystem
import Testing

@testable import TapelineInspect

/// The judgement against pairs of runs of which the truth is known. `TAPELINE_SIMULATED_PAIRS=500` makes as many pairs of each
/// kind, and prints the table of `docs/diff.md`.
@Suite("Time judgement")
struct TimeJudgementTests {
  private static let pairs = ProcessEnvironment.variables()["TAPELINE_SIMULATED_PAIRS"].flatMap { Int($0) }

  private static func share(_ noise: SimulatedRun.Noise, of count: Int, where holds: (inout SimulatedRun) -> Bool) -> Double {
    let found = (0..<count).count { seed in
      var run = SimulatedRun(noise, seed: seed)
      return holds(&run)
    }
    return Double(found) / Double(count)
  }

  private static func isFound(_ judgement: TimeJudgement) -> Bool { judgement.verdicts[0].direction == .slower }

  @Test("Of 500 pairs of runs without a change, at most a twentieth has a finding")
  func falseAlarms() {
    // 39 of each kind, and of 2 to 250 calls.
    let shapes = [(10, 50), (10, 50), (4, 12), (3, 6), (30, 20), (1, 50), (3, 250)]
    var (alarms, count) = (0, 0)
    for noise in SimulatedRun.Noise.allCases {
      for seed in 0..<39 {
        var run = SimulatedRun(noise, seed: seed)
        let (requests, calls) = shapes[seed % shapes.count]
        if TimeJudgement(run.requests(requests, calls: calls)).hasFinding { alarms += 1 }
        count += 1
      }
    }
    #expect(count > 500)
    #expect(alarms * 20 <= count, "\(alarms) of \(count)")
  }

  @Test(
    "A change of 10 % of one request of ten is found at 50 calls", arguments: [SimulatedRun.Noise.realistic, .unequal])
  func power(noise: SimulatedRun.Noise) {
    let share = Self.share(noise, of: 100) { Self.isFound(TimeJudgement($0.requests(change: 1.1))) }
    #expect(share >= 0.9, "\(share)")
    let faster = Self.share(noise, of: 100) { TimeJudgement($0.requests(change: 1 / 1.1)).verdicts[0].direction == .faster }
    #expect(faster >= 0.8, "\(faster)")
  }

  @Test("Calls that differ in the same way in both runs hide nothing")
  func orderedMixture() {
    #expect(Self.share(.orderedMixture, of: 50) { Self.isFound(TimeJudgement($0.requests(change: 1.15))) } >= 0.9)
  }

  @Test("Twelve calls that all take three times as long are found among many others")
  func few() {
    let share = Self.share(.realistic, of: 50) { run in
      let slow = run.requests(1, calls: 12, change: 3)
      return Self.isFound(TimeJudgement(slow + run.requests(8, calls: 40) + run.requests(200, calls: 1)))
    }
    #expect(share >= 0.98, "\(share)")
  }

  @Test("Every fifth call became slow: a finding of the slow end, not of the typical time")
  func tail() {
    let share = Self.share(.plain, of: 50) { run in
      let request = run.requests(1, calls: 100)[0]
      var after = OrderedSample(limit: RequestProfile.sampleLimit)
      for (place, time) in request.after.inOrder.enumerated() { after.add(place % 5 == 2 ? time * 4 : time, at: place) }
      let verdict = TimeJudgement([TimePair(before: request.before, after: after, isPaired: true)]).verdicts[0]
      return verdict.tailDirection == .slower
    }
    #expect(share >= 0.95, "\(share)")
  }

  @Test("Requests with one call each are judged together, each compared with itself")
  func whole() {
    let share = Self.share(.realistic, of: 50) { run in
      let requests = run.requests(60, calls: 1).map { pair in
        var after = OrderedSample(limit: 8)
        after.add(pair.after.inOrder[0] * 1.15, at: 0)
        return TimePair(before: pair.before, after: after, isPaired: true)
      }
      let judgement = TimeJudgement(requests)
      return judgement.whole?.direction == .slower && judgement.verdicts.allSatisfy { $0.direction == nil }
    }
    #expect(share >= 0.95, "\(share)")
  }

  @Test("The table of the documentation", .enabled(if: pairs != nil))
  func table() {
    let pairs = Self.pairs ?? 0
    print("| Noise | false alarms | 10 % found |\n|---|--:|--:|")
    for noise in SimulatedRun.Noise.allCases {
      let alarms = Self.share(noise, of: pairs) { TimeJudgement($0.requests()).hasFinding }
      let found = Self.share(noise, of: pairs) { Self.isFound(TimeJudgement($0.requests(change: 1.1))) }
      print("| \(noise.rawValue) | \(fixed(alarms * 100, decimals: 1)) % | \(fixed(found * 100, decimals: 1)) % |")
    }
  }
}
