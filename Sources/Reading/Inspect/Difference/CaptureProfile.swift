internal import TapelineBase
package import TapelineHAR

/// One side of a comparison: fed with one exchange after the other. Its memory grows with the number of different requests, up to
/// a bound, and not with the number of exchanges.
package struct CaptureProfile: Sendable {
  /// As it was named on the command line.
  package let file: String
  package private(set) var exchanges = 0
  package private(set) var failures = 0
  /// Exchanges that failed or have a status of 400 or above.
  package private(set) var errorCount = 0
  package private(set) var requests: [RequestName: RequestProfile] = [:]
  /// Exchanges of requests beyond the bound: counted and timed, but not compared one by one.
  package private(set) var overflow = 0
  package private(set) var decoded = KnownSizes()
  package private(set) var wire = KnownSizes()
  private(set) var hosts: Set<String> = []
  private(set) var times = TimeSamples(limit: Self.sampleLimit)
  private(set) var headers = InternTable<ComparedHeaders>(sizeLimit: 8 << 20)
  private(set) var redirects = InternTable<String>(sizeLimit: 1 << 20)
  private let options: MatchingOptions

  /// The maximum number of different requests.
  package static let requestLimit = 2_000
  /// The maximum number of times kept for each phase.
  package static let sampleLimit = 16_384

  /// The parts of an entry that the comparison needs.
  package static let parts: HAREntryParts = [.fields, .bodies, .custom]

  package init(file: String, options: MatchingOptions = MatchingOptions()) {
    self.file = file
    self.options = options
  }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    let course = ExchangeCourse(entry)
    // A crash of tapeline itself is no exchange.
    guard course != .crash else { return }
    exchanges += 1
    let outcome = ExchangeOutcome(entry)
    if outcome.hasFailed { failures += 1 }
    if outcome.isError { errorCount += 1 }
    decoded.add(entry.response.content.size)
    wire.add(entry.response.bodySize)
    if course == .answered { times.add(entry, at: exchanges - 1) }
    let stream = StreamTiming(entry)
    if let stream { times.add(stream, at: exchanges - 1) }
    if hosts.count < Self.requestLimit, let host = RequestURL(entry.request.url)?.host { hosts.insert(host) }
    let name = RequestName(
      method: entry.request.method, url: URLTemplate(entry.request.url, ignoringHost: options.ignoresHost).text,
      operation: RequestOperation(entry)?.nameBesideURL ?? "")
    guard requests[name] != nil || requests.count < Self.requestLimit else {
      overflow += 1
      return
    }
    let answer = answer(of: entry, outcome)
    let heads = ComparedHeads(
      request: self.number(of: entry.request.headers),
      response: outcome.status <= 0 ? nil : self.number(of: entry.response.headers))
    requests[name, default: RequestProfile(name, firstNumber: number)].add(entry, answer, heads, stream, number: number)
  }

  private mutating func answer(of entry: HAREntry, _ outcome: ExchangeOutcome) -> ComparedAnswer {
    let target = entry.redirectTarget
    let redirect = target.isEmpty ? "" : URLTemplate(target, ignoringHost: options.ignoresHost).text
    let version = RecordedVersion(entry.response.httpVersion)
    return ComparedAnswer(
      outcome: outcome, redirect: redirects.number(of: redirect, size: redirect.utf8.count),
      version: version.number == nil ? "" : version.name)
  }

  private mutating func number(of lines: [HARHeader]) -> UInt32? {
    let compared = ComparedHeaders(lines, ignoring: options.ignoredHeaders)
    return headers.number(of: compared, size: compared.size)
  }
}

extension HAREntry {
  /// The target of a redirect, from `Location` if a program left `redirectURL` empty; empty when the response does not redirect.
  fileprivate var redirectTarget: String {
    guard response.redirectURL.isEmpty, (300..<400).contains(response.status) else { return response.redirectURL }
    return response.headers.first { $0.name.isSameName(as: "location") }?.value ?? ""
  }
}

/// How exchanges of two captures are matched, and which of their headers are ignored.
package struct MatchingOptions: Sendable {
  package var ignoredHeaders: IgnoredHeaders
  /// Scheme, host and port may differ: the same program ran elsewhere.
  package var ignoresHost: Bool

  package init(ignoredHeaders: IgnoredHeaders = IgnoredHeaders(), ignoresHost: Bool = false) {
    self.ignoredHeaders = ignoredHeaders
    self.ignoresHost = ignoresHost
  }
}

/// The data of one request in a capture: of all exchanges with one method, URL template and operation.
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

  static let sampleLimit = 512

  init(_ request: RequestName, firstNumber: Int) {
    self.request = request
    self.firstNumber = firstNumber
  }

  mutating func add(
    _ entry: HAREntry, _ answer: ComparedAnswer, _ heads: ComparedHeads, _ stream: StreamTiming?, number: Int
  ) {
    count += 1
    outcomes[answer.outcome, default: 0] += 1
    decoded.add(entry.response.content.size)
    wire.add(entry.response.bodySize)
    answers.add(answer, number: number)
    self.heads.add(heads, number: number)
    if ExchangeCourse(entry) == .answered { times.add(entry, at: count - 1) }
    if let stream { times.add(stream, at: count - 1) }
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
  /// The operation that the body asks for, where one URL serves many operations; else empty.
  package let operation: String
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
