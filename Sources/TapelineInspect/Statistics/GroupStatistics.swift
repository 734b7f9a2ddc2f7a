internal import Histogram
package import TapelineHAR

/// The counts for a group of exchanges.
package struct GroupStatistics: Sendable {
  package private(set) var exchanges = 0
  package private(set) var failures = 0
  /// Exchanges that the client ended, which are not failures.
  package private(set) var ended = 0
  /// Bytes of bodies on the wire, if they are known.
  package private(set) var sentBytes = 0
  package private(set) var receivedBytes = 0
  package private(set) var total = Distribution()
  package private(set) var wait = Distribution()

  /// - Parameters:
  ///   - isTimed: whether its times are counted.
  ///   - waited: its phase `wait`, if that is counted here.
  mutating func add(_ exchange: some CountedExchange, isTimed: Bool, waited: Double?) {
    exchanges += 1
    if exchange.hasFailed { failures += 1 } else if exchange.isEnded { ended += 1 }
    sentBytes = sentBytes.addingSaturating(exchange.sentBytes)
    receivedBytes = receivedBytes.addingSaturating(exchange.receivedBytes)
    guard isTimed else { return }
    if let duration = exchange.total { total.add(duration) }
    if let waited { wait.add(waited) }
  }

  /// Counts exchanges, but for their `wait`.
  ///
  /// - Parameter totals: those of the exchanges whose times are counted.
  mutating func add(_ added: IndexedExchanges, totals: [Double]) {
    exchanges += added.count
    for place in 0..<added.count {
      let exchange = added[place]
      if exchange.hasFailed { failures += 1 } else if exchange.isEnded { ended += 1 }
      sentBytes = sentBytes.addingSaturating(exchange.sentBytes)
      receivedBytes = receivedBytes.addingSaturating(exchange.receivedBytes)
    }
    total.add(totals)
  }
}

/// The criterion by which `stats --by` groups exchanges.
package enum StatisticsGrouping: String, CaseIterable, Sendable {
  case host
  case path
  case status
  case page
  case method
  /// The connection to the server.
  case connection
  /// The version of HTTP, of the response if there is one.
  case version
  /// The distributed trace of the request.
  case trace
  /// The capture, as it was named.
  case file
  /// The directory that the capture is in.
  case directory

  /// Reads `host,page`; `nil` if a name is unknown or comes twice, or if there are more than four.
  package static func list(_ text: String) -> [StatisticsGrouping]? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map { StatisticsGrouping(rawValue: String($0)) }
    let known = names.compactMap(\.self)
    return known.count == names.count && Set(known).count == known.count && known.count <= 4 ? known : nil
  }

  /// Whether the figures of an ordinary entry say where it belongs.
  var isAmongFigures: Bool {
    switch self {
    case .host, .path, .status, .method: true
    case .page, .connection, .version, .trace, .file, .directory: false
    }
  }

  /// The name of the group that the exchange belongs to; `isAmongFigures` holds.
  func key(of figures: EntryFigures, _ hosts: inout KnownHosts) -> String {
    switch self {
    case .host: hosts.host(of: figures.request.url) ?? figures.request.url
    case .path: Self.path(of: figures.request.url)
    case .status: Self.status(figures.response.status)
    case .method: figures.request.method
    case .page, .connection, .version, .trace, .file, .directory: preconditionFailure("these need a whole entry")
    }
  }

  /// The name of the group that the exchange belongs to.
  package func key(of entry: HAREntry) -> String {
    switch self {
    case .host: RequestURL(entry.request.url)?.host ?? entry.request.url
    case .path: Self.path(of: entry.request.url)
    case .status: Self.status(entry.response.status)
    case .method: entry.request.method
    case .page: entry.page ?? "none"
    case .connection: Self.connection(of: entry) ?? "none"
    case .version: RecordedVersion(entry)?.name ?? "unknown"
    case .trace: RecordedTrace(entry)?.id ?? "none"
    case .file: entry.file ?? "none"
    case .directory: entry.directory ?? "none"
    }
  }

  private static func path(of url: String) -> String {
    RequestURL(url).map { $0.host + $0.path } ?? url
  }

  private static func status(_ status: Int) -> String {
    status <= 0 ? "none" : String(status)
  }

  /// `12 192.0.2.1`, or address and port where the log has no ids.
  private static func connection(of entry: HAREntry) -> String? {
    guard let connection = entry.custom["_connectionId"]?.string ?? entry.connection, !connection.isEmpty else { return nil }
    let parts = entry.custom["_connectionId"] == nil ? [entry.serverIPAddress, connection] : [connection, entry.serverIPAddress]
    return parts.compactMap(\.self).joined(separator: " ")
  }
}

/// Durations with their frequencies: percentiles within a hundredth of the value, in little memory for any number of durations.
package struct Distribution: Sendable {
  /// In microseconds, the resolution of a log.
  private var histogram: Histogram<UInt32>
  package private(set) var sum = 0.0
  private var largest = 0.0

  /// A day: nothing in a capture is longer, and absurd values in a foreign log must not cost memory.
  private static let longest = 86_400_000.0

  /// A second: hardly anything needs more room, and making room takes longer than counting.
  private static let usualMicroseconds: UInt64 = 1 << 20

  package init() {
    histogram = Histogram(highestTrackableValue: Self.usualMicroseconds, numberOfSignificantValueDigits: .two)
    histogram.autoResize = true
  }

  package mutating func add(_ milliseconds: Double) {
    add(CollectionOfOne(milliseconds))
  }

  /// Adds durations in their order; one that is not a number is left out.
  mutating func add(_ milliseconds: some Sequence<Double>) {
    // In variables of its own, the loop keeps them in registers.
    var (sum, largest) = (sum, largest)
    for duration in milliseconds where duration.isFinite && duration >= 0 {
      let bounded = min(duration, Self.longest)
      histogram.record(UInt64(bounded * 1_000 + 0.5))
      sum += bounded
      largest = max(largest, bounded)
    }
    self.sum = sum
    self.largest = largest
  }

  package var count: Int { Int(histogram.totalCount) }

  package var mean: Double? {
    count == 0 ? nil : sum / Double(count)
  }

  package var maximum: Double? {
    count == 0 ? nil : largest
  }

  /// - Parameter percent: above 0, at most 100.
  /// - Returns: milliseconds; `nil` when nothing was added.
  package func percentile(_ percent: Double) -> Double? {
    // The histogram returns the top of the slot, which may be above every recorded value.
    count == 0 ? nil : min(Double(histogram.valueAtPercentile(percent)) / 1_000, largest)
  }
}
