import Testing

@testable import TapelineInspect

@Suite("Fact pairs")
struct FactPairsTests {
  private static func runs(_ statuses: [Int]) -> FactRuns<Int> {
    var runs = FactRuns<Int>()
    for (index, status) in statuses.enumerated() { runs.add(status, number: index + 1) }
    return runs
  }

  @Test("In sequence, equal ones in a row together")
  func sequence() {
    let pairs = FactPairs(before: Self.runs([200, 200, 200, 404, 200]), after: Self.runs([200, 500, 500, 404]))
    #expect(
      pairs.pairs.map { "\($0.before)→\($0.after)×\($0.count)" } == [
        "200→200×1", "200→500×2", "404→404×1",
      ])
    #expect(pairs.pairs.map(\.afterNumber) == [1, 2, 4])
    #expect(pairs.uncompared == 0)
    #expect(FactPairs(before: Self.runs([]), after: Self.runs([200])).pairs.isEmpty)
  }

  @Test("What varies without end is counted and not kept")
  func overflow() {
    let varied = Self.runs((0..<1_000).map { 200 + $0 % 2 })
    #expect(varied.runs.count == 256)
    #expect(varied.overflow == 744)
    let pairs = FactPairs(before: varied, after: Self.runs([Int](repeating: 200, count: 900)))
    #expect(pairs.pairs.reduce(0) { $0 + $1.count } == 256)
    #expect(pairs.uncompared == 644)
  }
}
