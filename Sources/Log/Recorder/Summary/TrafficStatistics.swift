internal import Histogram
internal import Synchronization
internal import TapelineCore
internal import TapelineHTTP
internal import TapelineBase
internal import TapelineTime

/// The traffic since the start, counted as it is recorded: for the summary, for viewers, for monitoring. Memory is bounded for
/// any number of hosts. After a crash the totals go on; times, hosts and kinds begin anew.
package struct TrafficStatistics: Sendable {
  /// Exchanges that the recorder accepted, including tunnels.
  package private(set) var exchanges = StatisticsCollector.kept(.exchanges)
  package private(set) var tunnels: UInt64 = 0
  package private(set) var unreadTunnels = UnreadTunnels()
  package private(set) var failures = StatisticsCollector.kept(.failures)
  /// Exchanges that were held back until the recorder had caught up.
  package private(set) var waited = StatisticsCollector.kept(.waitedRecords)
  /// By the failure's code word for scripts.
  package private(set) var failuresByKind: [String: UInt64] = [:]
  /// Responses by the first digit of their status, 1 to 5, including the proxy's own responses.
  package private(set) var responsesByClass: [UInt64] = Array(repeating: 0, count: 6)
  /// Bytes of bodies and tunnels.
  package private(set) var bytesToServer = StatisticsCollector.kept(.bytesToServer)
  package private(set) var bytesToClient = StatisticsCollector.kept(.bytesToClient)
  /// The total time of answered exchanges.
  package private(set) var latency = LatencyDistribution()
  /// By host and port as the client named them. Hosts beyond `hostLimit` are counted in `otherHosts`.
  package private(set) var hosts: [String: HostTraffic] = [:]
  package private(set) var otherHosts = HostTraffic()
  /// The last failures, oldest first.
  package private(set) var recentFailures: [RecentFailure] = []

  static let hostLimit = 128
  static let recentFailureLimit = 16

  mutating func count(_ exchange: ExchangeCounts) {
    exchanges += 1
    responsesByClass[(1...5).contains(exchange.status / 100) ? exchange.status / 100 : 0] += 1
    bytesToServer += exchange.toServer
    bytesToClient += exchange.toClient
    if exchange.isTunnel { tunnels += 1 }
    if exchange.hasWaited { waited += 1 }
    if let time = exchange.microseconds { latency.record(microseconds: time) }
    if let reason = exchange.unread { unreadTunnels.count(reason, host: exchange.authority) }
    if let failure = exchange.failure { note(failure) }
    guard let host = exchange.authority else { return }
    if let index = hosts.index(forKey: host) {
      hosts.values[index].count(exchange)
    } else if hosts.count < Self.hostLimit {
      hosts[host, default: HostTraffic()].count(exchange)
    } else {
      otherHosts.count(exchange)
    }
  }

  private mutating func note(_ failure: RecentFailure) {
    failures += 1
    failuresByKind[failure.kind, default: 0] += 1
    if recentFailures.count == Self.recentFailureLimit { recentFailures.removeFirst() }
    recentFailures.append(failure)
  }
}

/// The facts of an exchange that the counts need.
struct ExchangeCounts: Sendable {
  /// Host and port that the client meant; see `ExchangeRecord.authority`.
  let authority: String?
  /// 0 without a response.
  let status: Int
  let toServer: UInt64
  let toClient: UInt64
  let isTunnel: Bool
  /// Whether it was held back until the recorder had caught up.
  let hasWaited: Bool
  /// `nil` unless the exchange was answered: a refused connection is not a fast answer, and a tunnel or a WebSocket lasts as long
  /// as its client likes.
  let microseconds: Int64?
  let unread: UnreadReason?
  let failure: RecentFailure?

  /// - Parameter reportsError: whether the response reports the error of an operation in its body.
  init(_ record: borrowing ExchangeRecord, totalMicroseconds: Int64, reportsError: Bool = false) {
    let authority = record.authority
    self.authority = authority
    status = record.response?.status ?? record.localStatus ?? 0
    unread = record.unread
    hasWaited = record.recorderWait != nil
    failure =
      record.failure.map { RecentFailure($0, of: record, host: authority) }
      ?? Self.failedOperation(of: record, reportsError).map {
        RecentFailure(record, host: authority, kind: $0, phase: "operation")
      }
    switch record.kind {
    case .exchange:
      toServer = record.requestBody.size + (record.relayed?.toServer ?? 0)
      toClient = record.responseBody.size + (record.relayed?.toClient ?? 0)
      isTunnel = false
      microseconds = record.isBrokenOff || record.relayed != nil || record.ownAnswer != nil ? nil : totalMicroseconds
    case .tunnel(let toServer, let toClient):
      self.toServer = toServer
      self.toClient = toClient
      isTunnel = true
      microseconds = nil
    }
  }
}

extension ExchangeCounts {
  /// The code word of a failed operation, for scripts.
  private static func failedOperation(of record: borrowing ExchangeRecord, _ reportsError: Bool) -> String? {
    if let status = record.callStatus { return status.rawValue == 0 ? nil : "grpc-\(status.rawValue)" }
    return reportsError ? "operation" : nil
  }
}

extension HostTraffic {
  fileprivate mutating func count(_ exchange: ExchangeCounts) {
    exchanges += 1
    if exchange.failure != nil { failures += 1 }
    if exchange.status >= 400 { errorResponses += 1 }
    bytesToServer += exchange.toServer
    bytesToClient += exchange.toClient
    if let time = exchange.microseconds { latency.record(microseconds: time) }
  }
}

extension ExchangeRecord {
  /// Host and port that the client meant, without the default port; `nil` for requests to the proxy itself or without a request.
  fileprivate var authority: String? {
    guard let request else { return nil }
    switch request.target {
    case .absolute(let target): return target.authority
    case .authority(let host, let port):
      return Authority.text(host: host, port: port == 443 ? nil : port)
    case .origin, .asterisk: return implied?.authority
    }
  }
}

/// The traffic counts: the recorder's thread updates them, any thread may read them.
final class TrafficBoard: Sendable {
  private let counted = Mutex(TrafficStatistics())

  func count(_ exchange: ExchangeCounts) {
    counted.withLock { $0.count(exchange) }
  }

  var traffic: TrafficStatistics {
    counted.withLock(\.self)
  }
}

/// Counts the traffic between clients and one host.
package struct HostTraffic: Sendable {
  package internal(set) var exchanges: UInt64 = 0
  package internal(set) var failures: UInt64 = 0
  /// Responses with a status of 400 or more.
  package internal(set) var errorResponses: UInt64 = 0
  /// Bytes of bodies and tunnels.
  package internal(set) var bytesToServer: UInt64 = 0
  package internal(set) var bytesToClient: UInt64 = 0
  /// The total time of answered exchanges.
  package internal(set) var latency = LatencyDistribution()
}

/// One of the last failures: enough to see the problem. It has no URL, which could hold secrets; the log has the URL, redacted.
package struct RecentFailure: Sendable, Hashable {
  /// Microseconds since 1970.
  package let startedAt: Int64?
  package let exchange: UInt64
  /// `nil` when the bytes were not a request.
  package let method: String?
  /// With its port, unless it is the default.
  package let host: String?
  package let kind: String
  package let phase: String
}

extension RecentFailure {
  fileprivate init(_ failure: ExchangeRecord.Failure, of record: borrowing ExchangeRecord, host: String?) {
    self.init(record, host: host, kind: failure.kind.name, phase: failure.phase.rawValue)
  }

  fileprivate init(_ record: borrowing ExchangeRecord, host: String?, kind: String, phase: String) {
    self.init(
      startedAt: record.started.map { WallClockAnchor.process.unixNanoseconds(at: $0) / 1_000 }, exchange: record.id,
      method: record.request?.method.rawValue, host: host, kind: kind, phase: phase)
  }
}

/// The distribution of exchange times, to two significant digits.
package struct LatencyDistribution: Sendable {
  private var histogram = emptyHistogram
  /// The sum of all times, in microseconds.
  package private(set) var totalMicroseconds: UInt64 = 0

  /// With room for an eighth of a second at once: each time that the library makes room for the double, it takes as many
  /// instructions as eight exchanges.
  private static let emptyHistogram = {
    var histogram = Histogram<UInt32>(
      lowestDiscernibleValue: 1, highestTrackableValue: 1 << 17, numberOfSignificantValueDigits: .two)
    histogram.autoResize = true
    return histogram
  }()

  mutating func record(microseconds: Int64) {
    let value = UInt64(max(0, microseconds))
    histogram.record(value)
    totalMicroseconds &+= value
  }

  package var count: UInt64 { histogram.totalCount }

  /// In microseconds; `nil` without exchanges.
  package func percentile(_ percentile: Double) -> Int64? {
    count > 0 ? Int64(histogram.valueAtPercentile(percentile)) : nil
  }

  /// How many exchanges took at most this long.
  package func count(upToMicroseconds bound: UInt64) -> UInt64 {
    histogram.count(within: 0...bound)
  }

  /// The recorded values, ascending. Subtract two readings of one distribution value by value to get the time between them.
  package var values: [(microseconds: UInt64, count: UInt32)] {
    histogram.recordedValues().map { ($0.value, $0.count) }
  }
}
