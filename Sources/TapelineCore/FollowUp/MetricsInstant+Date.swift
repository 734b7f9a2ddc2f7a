public import FoundationEssentials
public import TapelineTransport

extension MetricsInstant {
  /// The time of day. Of one process, dates differ as offsets do: nobody's setting the clock comes between them.
  public var date: Date { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }
}
