// A program that imports the core needs no other module to name methods, tasks, metrics, credentials and proxies.

public import FoundationEssentials
@_exported public import TapelineHTTP
@_exported public import struct TapelineSystem.TCPStatistics
@_exported public import TapelineTransport
internal import TapelineTime

extension TaskMetrics {
  /// From the beginning of the first transaction to the last event measured in the last one. Of no length, at the reference
  /// date, for a task that never began.
  public var taskInterval: DateInterval {
    DateInterval(start: start?.date ?? Date(timeIntervalSinceReferenceDate: 0), duration: Double(duration.nanoseconds) / 1e9)
  }
}

extension MetricsInstant {
  /// The time of day. Within one process, dates differ exactly as offsets do, even if somebody sets the clock.
  public var date: Date { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }
}
