internal import TapelineHAR

/// The data of one request in a capture: of all exchanges with one method and URL template.
package struct RequestProfile: Sendable {
  package let request: RequestName
  package private(set) var count = 0
  /// The place of the first exchange in the file, from 1.
  package let firstNumber: Int
  /// The number of times each outcome occurred.
  package private(set) var outcomes: [ExchangeOutcome: Int] = [:]
  package private(set) var decoded = KnownSizes()
  package private(set) var wire = KnownSizes()
  private(set) var times = TimeSamples(limit: Self.sampleLimit)
  private(set) var answers = FactRuns<ComparedAnswer>()
  private(set) var heads = FactRuns<ComparedHeads>()

  static let sampleLimit = 256

  init(_ request: RequestName, firstNumber: Int) {
    self.request = request
    self.firstNumber = firstNumber
  }

  mutating func add(_ entry: HAREntry, _ answer: ComparedAnswer, _ heads: ComparedHeads, number: Int) {
    count += 1
    outcomes[answer.outcome, default: 0] += 1
    decoded.add(entry.response.content.size)
    wire.add(entry.response.bodySize)
    answers.add(answer, number: number)
    self.heads.add(heads, number: number)
    if !entry.isOpenTunnel { times.add(entry) }
  }

  /// The most frequent first.
  package var rankedOutcomes: [(outcome: ExchangeOutcome, count: Int)] {
    outcomes.map { (outcome: $0.key, count: $0.value) }.sorted { left, right in
      (right.count, left.outcome.text) < (left.count, right.outcome.text)
    }
  }
}

/// The key by which exchanges of two captures are matched.
package struct RequestName: Hashable, Sendable {
  package let method: String
  /// The URL with its varying parts folded.
  package let url: String
}

/// Sizes of bodies, if the log knows them.
package struct KnownSizes: Sendable, Hashable {
  private var sum = 0
  private var count = 0

  /// HAR's −1 is an unknown size. No real capture comes near the bounds, which cap absurd values in a foreign log.
  mutating func add(_ bytes: Int) {
    guard bytes >= 0 else { return }
    sum = min(sum + min(bytes, 1 << 50), 1 << 60)
    count += 1
  }

  package var total: Int { sum }

  /// `nil` when no size is known.
  package var mean: Double? {
    count == 0 ? nil : Double(sum) / Double(count)
  }
}
