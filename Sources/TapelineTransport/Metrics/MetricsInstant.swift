package import TapelineTime

/// An instant of a task, on a clock that is never stepped.
public struct MetricsInstant: Hashable, Comparable, Sendable {
  package let instant: MonotonicInstant
  private let began: MonotonicInstant

  package init(instant: MonotonicInstant, began: MonotonicInstant) {
    self.instant = instant
    self.began = began
  }

  /// Time since the task began: differences of offsets are exact.
  public var offset: Duration { .nanoseconds(instant.nanoseconds(since: began)) }

  /// The time of day, in seconds since 2001-01-01T00:00:00Z.
  public var timeIntervalSinceReferenceDate: Double { WallClockAnchor.process.absoluteTime(at: instant) }

  /// Whether `left` came first.
  public static func < (left: MetricsInstant, right: MetricsInstant) -> Bool {
    left.instant < right.instant
  }
}
