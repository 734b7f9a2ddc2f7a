internal import TapelineHAR
internal import TapelineTime

/// The traffic between two readings of a recording.
struct TrafficInterval {
  /// The traffic of one host, or of all hosts.
  struct Part {
    let name: String
    let perSecond: Double
    let failed: Int
    let errorResponses: Int
    let bytesToServerPerSecond: Double
    let bytesToClientPerSecond: Double
    /// Milliseconds; absent where no exchange ended.
    let p50: Double?
    let p95: Double?
    let maximum: Double?
    /// Since the start of the recording.
    let exchangesInAll: Int
  }

  let seconds: Double
  let inFlight: Int
  let openTunnels: Int
  let clients: Int
  let all: Part
  /// The hosts with the most exchanges in the interval first, then those with the most since the start.
  let hosts: [Part]
  let failures: [RecordingTraffic.Failure]

  init(from earlier: RecordingTraffic, to later: RecordingTraffic) {
    let seconds = max(Double(later.nanoseconds - earlier.nanoseconds) / 1e9, 1e-3)
    let before = Dictionary(earlier.hosts.map { ($0.name, $0) }) { first, _ in first }
    self.seconds = seconds
    inFlight = later.inFlight
    openTunnels = later.openTunnels
    clients = later.clients
    all = Part(from: earlier.all, to: later.all, seconds: seconds)
    hosts = later.hosts
      .map { Part(from: before[$0.name] ?? RecordingTraffic.Host(name: $0.name), to: $0, seconds: seconds) }
      .sorted { ($0.perSecond, $0.exchangesInAll, $1.name) > ($1.perSecond, $1.exchangesInAll, $0.name) }
    failures = later.failures
  }
}

extension TrafficInterval.Part {
  fileprivate init(from earlier: RecordingTraffic.Host, to later: RecordingTraffic.Host, seconds: Double) {
    let latency = IntervalLatency(from: earlier.latency, to: later.latency)
    self.init(
      name: later.name, perSecond: Double(later.exchanges - earlier.exchanges) / seconds, failed: later.failed - earlier.failed,
      errorResponses: later.errorResponses - earlier.errorResponses,
      bytesToServerPerSecond: Double(later.bytesToServer - earlier.bytesToServer) / seconds,
      bytesToClientPerSecond: Double(later.bytesToClient - earlier.bytesToClient) / seconds,
      p50: latency.percentile(50), p95: latency.percentile(95), maximum: latency.percentile(100),
      exchangesInAll: later.exchanges)
  }
}

/// The exchanges that ended between two readings, by how long they took.
private struct IntervalLatency {
  private var counts: [RecordingTraffic.LatencyCount]
  private let total: Int

  init(from earlier: [RecordingTraffic.LatencyCount], to later: [RecordingTraffic.LatencyCount]) {
    let before = Dictionary(earlier.map { ($0.microseconds, $0.count) }) { first, _ in first }
    counts = later.compactMap { entry in
      let count = entry.count - before[entry.microseconds, default: 0]
      return count > 0 ? RecordingTraffic.LatencyCount(microseconds: entry.microseconds, count: count) : nil
    }
    total = counts.reduce(0) { $0 + $1.count }
  }

  /// In milliseconds.
  func percentile(_ percentile: Double) -> Double? {
    let rank = max(1, Int((percentile / 100 * Double(total)).rounded(.up)))
    var seen = 0
    for entry in counts {
      seen += entry.count
      if seen >= rank { return Double(entry.microseconds) / 1_000 }
    }
    return nil
  }
}

extension TrafficInterval {
  /// For scripts; times in milliseconds, rates per second.
  var json: HARValue {
    .object(
      HARObject(
        members: [
          .init(name: "seconds", value: .number(HARNumber(seconds))),
          .init(name: "inFlight", value: .number(HARNumber(inFlight))),
          .init(name: "openTunnels", value: .number(HARNumber(openTunnels))),
          .init(name: "clients", value: .number(HARNumber(clients))),
        ] + all.members + [.init(name: "hosts", value: .array(hosts.map(\.json)))]))
  }
}

extension TrafficInterval.Part {
  fileprivate var json: HARValue {
    .object(HARObject(members: [.init(name: "host", value: .string(name))] + members))
  }

  fileprivate var members: [HARObject.Member] {
    [
      .init(name: "perSecond", value: .number(HARNumber(perSecond))), .init(name: "failed", value: .number(HARNumber(failed))),
      .init(name: "errorResponses", value: .number(HARNumber(errorResponses))),
      .init(name: "bytesToServerPerSecond", value: .number(HARNumber(bytesToServerPerSecond))),
      .init(name: "bytesToClientPerSecond", value: .number(HARNumber(bytesToClientPerSecond))),
      .init(name: "p50", value: number(p50)), .init(name: "p95", value: number(p95)), .init(name: "max", value: number(maximum)),
      .init(name: "exchangesInAll", value: .number(HARNumber(exchangesInAll))),
    ]
  }

  private func number(_ value: Double?) -> HARValue {
    value.map { .number(HARNumber($0)) } ?? .null
  }
}

/// The recent readings that a live view covers, oldest first.
struct TrafficWindow {
  private let length: Duration
  private var readings: [RecordingTraffic] = []

  init(length: Duration) {
    self.length = length
  }

  /// Adds a reading, and returns the traffic within the window; `nil` for the first reading.
  mutating func add(_ reading: RecordingTraffic) -> TrafficInterval? {
    readings.append(reading)
    // The window begins at the last reading from before it.
    while readings.count > 2, readings[1].nanoseconds <= reading.nanoseconds - length.nanoseconds { readings.removeFirst() }
    return readings.count > 1 ? TrafficInterval(from: readings[0], to: reading) : nil
  }
}
