internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineTime

extension RecordingTraffic {
  /// Nobody watches more hosts at once.
  private static let hostLimit = 64

  init(_ traffic: TrafficStatistics, activity: ProxyActivity, at now: MonotonicInstant) {
    let busiest = traffic.hosts.sorted { ($0.value.exchanges, $1.key) > ($1.value.exchanges, $0.key) }.prefix(Self.hostLimit)
    self.init(
      nanoseconds: now.nanoseconds, inFlight: activity.inFlight, openTunnels: activity.openTunnels,
      clients: activity.clientConnections,
      all: Host(
        name: "", exchanges: Int(clamping: traffic.exchanges), failed: Int(clamping: traffic.failures),
        errorResponses: Int(clamping: traffic.responsesByClass[4] + traffic.responsesByClass[5]),
        bytesToServer: Int(clamping: traffic.bytesToServer), bytesToClient: Int(clamping: traffic.bytesToClient),
        latency: Self.counts(traffic.latency)),
      hosts: busiest.map { Host(name: $0.key, $0.value) },
      failures: traffic.recentFailures.map {
        Failure(startedAt: $0.startedAt.map { Int($0) }, method: $0.method, host: $0.host, kind: $0.kind, phase: $0.phase)
      })
  }

  fileprivate static func counts(_ latency: LatencyDistribution) -> [LatencyCount] {
    latency.values.map { LatencyCount(microseconds: Int(clamping: $0.microseconds), count: Int($0.count)) }
  }
}

extension RecordingTraffic.Host {
  fileprivate init(name: String, _ host: HostTraffic) {
    self.init(
      name: name, exchanges: Int(clamping: host.exchanges), failed: Int(clamping: host.failures),
      errorResponses: Int(clamping: host.errorResponses), bytesToServer: Int(clamping: host.bytesToServer),
      bytesToClient: Int(clamping: host.bytesToClient), latency: RecordingTraffic.counts(host.latency))
  }
}
