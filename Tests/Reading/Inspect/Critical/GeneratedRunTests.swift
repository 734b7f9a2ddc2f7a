import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Critical path of generated runs")
struct GeneratedRunTests {
  /// How much of the truth the analysis found, over all seeds.
  private struct Score {
    var inferable = 0
    var found = 0
    var named = 0
    var direct = 0
    var ancestors = 0
    var rightRemovals = 0
    var exactRemovals = 0
    var missed: [String] = []
  }

  private static func score() -> Score {
    var score = Score()
    for seed in 1...100 {
      let run = GeneratedRun(seed: UInt64(seed))
      let path = CriticalPathTests.path(of: run.entries)
      let edges = Set(
        path.rows.flatMap { row in row.causes.map { GeneratedRun.Edge(source: $0.number - 1, target: row.number - 1) } })
      score.inferable += run.inferable.count
      score.found += run.inferable.intersection(edges).count
      score.named += edges.count
      score.direct += edges.intersection(run.truth).count
      score.ancestors += edges.filter { isAncestor($0.source, of: $0.target, run.truth) }.count
      for edge in run.inferable.subtracting(edges).sorted(by: { $0.target < $1.target }) {
        score.missed.append("seed \(seed): \(edge.source + 1) before \(edge.target + 1)")
      }
      guard let costliest = path.costliest, let best = run.endsWithout.min() else { continue }
      let chosen = run.endsWithout[costliest.number - 1]
      if chosen == best { score.exactRemovals += 1 }
      if chosen - best <= 0.02 * run.end {
        score.rightRemovals += 1
      } else {
        score.missed.append("seed \(seed): #\(costliest.number) leaves \(chosen), best \(best) of \(run.end)")
      }
    }
    return score
  }

  private static func isAncestor(_ source: Int, of target: Int, _ truth: Set<GeneratedRun.Edge>) -> Bool {
    var open = [target]
    var seen: Set<Int> = []
    while let next = open.popLast() {
      guard seen.insert(next).inserted else { continue }
      if next == source { return true }
      open += truth.filter { $0.target == next }.map(\.source)
    }
    return false
  }

  @Test("Of 100 runs, at least 95 % of what the logs show is found, and the exchange that costs most is named")
  func recall() {
    let score = Self.score()
    let recall = Double(score.found) / Double(score.inferable)
    let precision = Double(score.direct) / Double(score.named)
    let summary =
      "recall \(recall) of \(score.inferable), precision \(precision) of \(score.named), with ancestors "
      + "\(Double(score.ancestors) / Double(score.named)), removals \(score.rightRemovals), exact \(score.exactRemovals)"
    #expect(recall >= 0.95, "\(summary)\n\(score.missed.prefix(60).joined(separator: "\n"))")
    #expect(precision >= 0.9, "\(summary)")
    #expect(score.rightRemovals >= 95, "\(summary)\n\(score.missed.filter { $0.contains("#") }.joined(separator: "\n"))")
  }

  @Test("Of 100 runs of another client, the exchange that costs most is named")
  func others() {
    var right = 0
    var missed: [String] = []
    for seed in 1...100 {
      let run = ScriptedRun(seed: UInt64(seed))
      let path = CriticalPathTests.path(of: run.entries)
      guard let costliest = path.costliest, let best = run.endsWithout.min(),
        let bestNumber = run.endsWithout.firstIndex(of: best)
      else { continue }
      let chosen = run.endsWithout[costliest.number - 1]
      if chosen - best <= 0.02 * run.end {
        right += 1
      } else {
        let saving = path.rows.first { $0.number == bestNumber + 1 }?.saving ?? -1
        let row = path.rows.first { $0.number == costliest.number }
        missed.append(
          "seed \(seed): #\(costliest.number) \(costliest.url) leaves \(chosen) instead of \(run.end - costliest.saving); best "
            + "#\(bestNumber + 1) \(run.entries[bestNumber].request.url) \(best), thought \(run.end - saving), of \(run.end) "
            + "path \(path.paths.first?.map { path.rows[$0].number } ?? []) \(row?.causes.count ?? 0)")
      }
    }
    #expect(right >= 95, "\(right)\n\(missed.joined(separator: "\n"))")
  }

  @Test("Thirty thousand exchanges take no longer per exchange than a few")
  func size() {
    let count = 30_000
    var search = CriticalPathSearch()
    for number in 1...count {
      var entry = HAREntry.ordinary()
      entry.startedDateTime = "2026-01-02T03:\(10 + number / 60_000):\(10 + number / 1_000 % 50).\(100 + number % 900)Z"
      entry.request.url = "http://example.com/\(number % 5_000)"
      search.add(entry, number: number)
    }
    let hasPages = search.select(page: nil)
    #expect(hasPages)
    #expect(search.paths.first?.rows.count == count)
  }
}
