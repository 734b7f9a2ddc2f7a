/// A reading of a recording's traffic: the totals since its start, and the exchanges in flight. Two readings make an interval.
struct RecordingTraffic: Hashable, Sendable {
  /// When it was read, on the recording's monotonic clock.
  var nanoseconds: Int64
  var inFlight: Int
  var openTunnels: Int
  var clients: Int
  /// All hosts together; its name is empty.
  var all: Host
  /// The hosts with the most exchanges, by name; those beyond a bound are left out.
  var hosts: [Host]
  /// The latest failures, oldest first.
  var failures: [Failure]

  struct Host: Hashable, Sendable {
    /// With its port, unless that is the default port.
    var name: String
    var exchanges: Int = 0
    var failed: Int = 0
    /// Responses with a status of 400 or more.
    var errorResponses: Int = 0
    /// Bytes of bodies and tunnels.
    var bytesToServer: Int = 0
    var bytesToClient: Int = 0
    /// How many exchanges took how many microseconds, to two significant digits, ascending.
    var latency: [LatencyCount] = []
  }

  struct LatencyCount: Hashable, Sendable {
    var microseconds: Int
    var count: Int
  }

  struct Failure: Hashable, Sendable {
    /// Microseconds since 1970; absent if unknown.
    var startedAt: Int?
    var method: String?
    var host: String?
    var kind: String
    var phase: String
  }
}
