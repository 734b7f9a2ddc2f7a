/// Counts the traffic between clients and one host.
package struct HostTraffic: Sendable {
  package internal(set) var exchanges: UInt64 = 0
  package internal(set) var failures: UInt64 = 0
  /// Responses with a status of 400 or more.
  package internal(set) var errorResponses: UInt64 = 0
  /// Bytes of bodies and tunnels.
  package internal(set) var bytesToServer: UInt64 = 0
  package internal(set) var bytesToClient: UInt64 = 0
  /// The total time of exchanges, without tunnels.
  package internal(set) var latency = LatencyDistribution()
}
