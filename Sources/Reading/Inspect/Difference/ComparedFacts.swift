/// The compared facts of an exchange and its counterpart, apart from the headers; texts by their numbers in the profile's
/// tables.
struct ComparedAnswer: Hashable, Sendable {
  let outcome: ExchangeOutcome
  /// `nil` if the table was full: the redirect is not compared.
  let redirect: UInt32?
  /// The version of HTTP in the response; empty if the log has none.
  let version: String
}

/// The headers of an exchange, by their numbers in the profile's table; `nil` if the table was full, and for a missing response,
/// which has lost no fields.
struct ComparedHeads: Hashable, Sendable {
  let request: UInt32?
  let response: UInt32?
}

/// The facts of consecutive exchanges; equal facts in a row are stored once.
struct FactRuns<Facts: Hashable & Sendable>: Sendable {
  struct Run: Sendable {
    let facts: Facts
    var count: Int
    /// The place of the run's first exchange in the file, from 1.
    let firstNumber: Int
  }

  private(set) var runs: [Run] = []
  /// Exchanges after the runs were full.
  private(set) var overflow = 0

  private static var limit: Int { 256 }

  mutating func add(_ facts: Facts, number: Int) {
    if overflow > 0 {
      overflow += 1
    } else if let last = runs.last, last.facts == facts {
      runs[runs.count - 1].count += 1
    } else if runs.count < Self.limit {
      runs.append(Run(facts: facts, count: 1, firstNumber: number))
    } else {
      overflow += 1
    }
  }
}

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

/// A value before and after, and how often it changed that way.
package struct ChangeCount<Value: Hashable & Sendable>: Hashable, Sendable {
  package let before: Value
  package let after: Value
  package let count: Int
  /// The place in its file, from 1, of an exchange that shows the change: the first of a row of equal ones.
  package let beforeNumber: Int
  package let afterNumber: Int
}

/// Counts what differs between counterparts.
struct ChangeCounter<Value: Hashable & Sendable>: Sendable {
  private struct Change: Hashable, Sendable {
    let before: Value
    let after: Value
  }

  private var counts: [Change: ChangeCount<Value>] = [:]

  mutating func add(_ pair: FactPairs<ComparedAnswer>.Pair, from before: Value, to after: Value) {
    guard before != after else { return }
    let change = Change(before: before, after: after)
    let earlier = counts[change]
    counts[change] = ChangeCount(
      before: before, after: after, count: (earlier?.count ?? 0) + pair.count,
      beforeNumber: earlier?.beforeNumber ?? pair.beforeNumber, afterNumber: earlier?.afterNumber ?? pair.afterNumber)
  }

  /// The most frequent first.
  var ranked: [ChangeCount<Value>] {
    counts.values.sorted { ($1.count, $0.afterNumber, $0.beforeNumber) < ($0.count, $1.afterNumber, $1.beforeNumber) }
  }
}

/// Gives equal values the same small number, so that many exchanges share them; its memory has a bound.
struct InternTable<Value: Hashable & Sendable>: Sendable {
  private var numbers: [Value: UInt32] = [:]
  private var values: [Value] = []
  private var size = 0
  private let sizeLimit: Int

  /// - Parameter sizeLimit: in bytes, as callers give them for the values.
  init(sizeLimit: Int) {
    self.sizeLimit = sizeLimit
  }

  /// `nil` for a new value that no longer fits.
  mutating func number(of value: Value, size: Int) -> UInt32? {
    if let number = numbers[value] { return number }
    guard self.size + size <= sizeLimit else { return nil }
    self.size += size
    let number = UInt32(values.count)
    values.append(value)
    numbers[value] = number
    return number
  }

  subscript(number: UInt32) -> Value { values[Int(number)] }
}
