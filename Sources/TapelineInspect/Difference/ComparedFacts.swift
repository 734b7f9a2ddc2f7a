/// What is compared between an exchange and its counterpart, apart from the headers; texts by their numbers in the profile's
/// tables.
struct ComparedAnswer: Hashable, Sendable {
  let outcome: ExchangeOutcome
  /// `nil` where the table was full: not compared.
  let redirect: UInt32?
}

/// The headers of an exchange, by their numbers in the profile's table; `nil` where it was full, and for a response that did not
/// come: it has lost no fields.
struct ComparedHeads: Hashable, Sendable {
  let request: UInt32?
  let response: UInt32?
}

/// How an exchange ended.
package struct ExchangeOutcome: Hashable, Sendable {
  /// 0 when no response came.
  package let status: Int
  /// Where no status came and nothing failed, the client did not wait for one.
  package let hasFailed: Bool

  /// `503`, `200!` when the exchange failed after its status, `ERR` when none came; `END` when the client did not wait for one.
  package var text: String {
    guard status != 0 else { return hasFailed ? "ERR" : "END" }
    return hasFailed ? "\(status)!" : String(status)
  }

  /// What nobody wants to see: failures, and statuses from 400 on.
  package var isError: Bool { hasFailed || status >= 400 }
}

/// The facts of exchanges one after the other; those in a row that are equal take the room of one.
struct FactRuns<Facts: Hashable & Sendable>: Sendable {
  struct Run: Sendable {
    let facts: Facts
    var count: Int
    /// The place of the first of them in the file, from 1.
    let firstNumber: Int
  }

  private(set) var runs: [Run] = []
  /// Exchanges after those that found room.
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
