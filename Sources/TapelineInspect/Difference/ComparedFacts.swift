/// The compared facts of an exchange and its counterpart, apart from the headers; texts by their numbers in the profile's
/// tables.
struct ComparedAnswer: Hashable, Sendable {
  let outcome: ExchangeOutcome
  /// `nil` if the table was full: the redirect is not compared.
  let redirect: UInt32?
}

/// The headers of an exchange, by their numbers in the profile's table; `nil` if the table was full, and for a missing response,
/// which has lost no fields.
struct ComparedHeads: Hashable, Sendable {
  let request: UInt32?
  let response: UInt32?
}

/// How an exchange ended.
package struct ExchangeOutcome: Hashable, Sendable {
  /// 0 when no response came.
  package let status: Int
  /// If there is no status and nothing failed, the client did not wait for a response.
  package let hasFailed: Bool

  /// `503`, `200!` when the exchange failed after its status, `ERR` when none came; `END` when the client did not wait for one.
  package var text: String {
    guard status != 0 else { return hasFailed ? "ERR" : "END" }
    return hasFailed ? "\(status)!" : String(status)
  }

  /// Failures, and statuses of 400 or above.
  package var isError: Bool { hasFailed || status >= 400 }
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
