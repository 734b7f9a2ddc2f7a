public import FoundationEssentials
public import TapelineTransport

extension MetricsInstant {
  /// The time of day. Within one process, dates differ exactly as offsets do, even if somebody sets the clock.
  public var date: Date { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }
}
