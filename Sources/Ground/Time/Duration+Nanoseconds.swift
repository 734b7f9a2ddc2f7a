/// Settings and limits are durations; instants count nanoseconds. These are the only ways from one to the other.
extension Duration {
  /// Whole nanoseconds: the rest is cut off, and what an `Int64` cannot hold (292 years) is clamped.
  ///
  /// Cheap enough for a time-out of every exchange: a nanosecond is 2⁹ · 5⁹ attoseconds, so after the shift an hour fits in 64
  /// bits, where the compiler divides by multiplying.
  @inlinable
  public var nanoseconds: Int64 {
    let shifted = attoseconds >> 9
    if let short = Int64(exactly: shifted) { return short / 1_953_125 }
    return Int64(clamping: shifted / 1_953_125)
  }
}

extension MonotonicInstant {
  /// The last instant of the clock if `duration` leads beyond it: a limit of centuries is no limit.
  @inlinable
  public func advanced(by duration: Duration) -> MonotonicInstant {
    let (sum, overflows) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return MonotonicInstant(nanoseconds: overflows ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// From `earlier` to this instant; negative when `earlier` is later.
  @inlinable
  public func duration(since earlier: MonotonicInstant) -> Duration {
    .nanoseconds(nanoseconds(since: earlier))
  }
}
