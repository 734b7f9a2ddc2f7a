internal import TapelineTime

/// How often credentials may be refreshed: at most `maximumAttempts` times in `interval` seconds.
public struct RefreshWindow: Sendable, Hashable {
  /// In seconds.
  public let interval: TimeInterval
  /// The most refreshes that may begin within any `interval`.
  public let maximumAttempts: Int

  /// At most `maximumAttempts` in `interval` seconds.
  public init(interval: TimeInterval = 30, maximumAttempts: Int = 5) {
    self.interval = interval
    self.maximumAttempts = maximumAttempts
  }

  /// Whether no other refresh may begin at `now`.
  func isExhausted(by earlier: [MonotonicInstant], at now: MonotonicInstant) -> Bool {
    earlier.count { now.nanoseconds(since: $0) < interval.nanoseconds } >= maximumAttempts
  }
}
