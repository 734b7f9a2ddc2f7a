// A program that imports the core needs no other module to name methods, tasks, metrics, credentials and proxies.

public import FoundationEssentials
@_exported public import TapelineHTTP
@_exported public import struct TapelineSystem.TCPStatistics
@_exported public import TapelineTransport

extension MetricsInstant {
  /// The time of day. Within one process, dates differ exactly as offsets do, even if somebody sets the clock.
  public var date: Date { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }
}
