/// Exchanges of one request in two captures, paired in order; equal pairs in a row are grouped.
struct FactPairs<Facts: Hashable & Sendable>: Sendable {
  struct Pair: Sendable {
    let before: Facts
    let after: Facts
    let count: Int
    /// The places of two of them in their files, from 1: exact for the first of a row.
    let beforeNumber: Int
    let afterNumber: Int
  }

  private(set) var pairs: [Pair] = []
  /// Exchanges that have a counterpart but are beyond the limit of a profile.
  let uncompared: Int

  init(before: FactRuns<Facts>, after: FactRuns<Facts>) {
    var left = before.runs.makeIterator()
    var right = after.runs.makeIterator()
    var leftRun = left.next()
    var rightRun = right.next()
    while let first = leftRun, let second = rightRun {
      let count = min(first.count, second.count)
      pairs.append(
        Pair(
          before: first.facts, after: second.facts, count: count, beforeNumber: first.firstNumber,
          afterNumber: second.firstNumber))
      leftRun = first.count > count ? FactRuns<Facts>.Run(first, without: count) : left.next()
      rightRun = second.count > count ? FactRuns<Facts>.Run(second, without: count) : right.next()
    }
    let matched = min(before.count, after.count)
    uncompared = matched - pairs.reduce(0) { $0 + $1.count }
  }
}

extension FactRuns {
  fileprivate var count: Int { runs.reduce(overflow) { $0 + $1.count } }
}

extension FactRuns.Run {
  /// The rest of a run after `taken` exchanges are removed from its start.
  fileprivate init(_ run: Self, without taken: Int) {
    self.init(facts: run.facts, count: run.count - taken, firstNumber: run.firstNumber)
  }
}
