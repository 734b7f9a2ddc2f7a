internal import TapelineSystem

/// Turns the kernel's stamps, which are times of day, into instants, as a value: refuses what a step of the clock may have
/// spoilt.
///
/// The distance between the two clocks never changes but by a step: when the time of day is slewed, `CLOCK_MONOTONIC` is slewed
/// with it. Therefore of all pairs of readings the closest is kept, and a pair that contradicts it is a step. A loop has one.
package struct WireClock: Sendable {
  /// Readings of both clocks at once.
  package struct Pair: Sendable {
    /// The time of day, since 1970, minus the instant.
    let distance: Int64
    /// How much `distance` may be wrong.
    let doubt: Int64

    package init(distance: Int64, doubt: Int64) {
      self.distance = distance
      self.doubt = doubt
    }
  }

  private var pair: Pair?
  private var checked = MonotonicInstant(nanoseconds: .min)
  /// Stamps of before a step may still wait to be read.
  private var trustedFrom = MonotonicInstant(nanoseconds: .min)

  /// How old a pair may be. Three readings of clocks cost a tenth of a microsecond.
  private static let checkNanoseconds: Int64 = 1_000_000
  /// For this long after a step no stamp is believed.
  private static let distrustNanoseconds: Int64 = 1_000_000_000
  /// A smaller step does not matter.
  private static let negligibleNanoseconds: Int64 = 1_000
  /// A kernel's stamp may seem to be later than the read by as much as readings of two clocks differ.
  private static let slackNanoseconds: Int64 = 10_000

  package init() {}

  /// The instant of a stamp.
  ///
  /// - Parameters:
  ///   - stamp: nanoseconds since 1970 by the kernel; 0 where it did not say.
  ///   - readAt: when the bytes were read: no byte comes later.
  ///   - floor: the connection's last event: no byte comes earlier.
  ///   - readPair: reads both clocks.
  /// - Returns: `nil` if the stamp cannot be believed.
  package mutating func instant(
    ofStamp stamp: Int64, readAt: MonotonicInstant, notBefore floor: MonotonicInstant, readPair: () -> Pair = Pair.read
  ) -> MonotonicInstant? {
    guard stamp != 0 else { return nil }
    if pair == nil || readAt.nanoseconds(since: checked) > Self.checkNanoseconds { check(at: readAt, readPair()) }
    guard let pair, readAt >= trustedFrom else { return nil }
    let (nanoseconds, overflows) = stamp.subtractingReportingOverflow(pair.distance)
    guard !overflows, nanoseconds >= floor.nanoseconds, nanoseconds - readAt.nanoseconds <= Self.slackNanoseconds else {
      return nil
    }
    return MonotonicInstant(nanoseconds: min(nanoseconds, readAt.nanoseconds), clock: .wire)
  }

  private mutating func check(at now: MonotonicInstant, _ new: Pair) {
    checked = now
    guard let known = pair else {
      pair = new
      return
    }
    if abs(new.distance - known.distance) > new.doubt + known.doubt + Self.negligibleNanoseconds {
      pair = new
      trustedFrom = now.advanced(byNanoseconds: Self.distrustNanoseconds)
    } else if new.doubt < known.doubt {
      pair = new
    }
  }
}

extension WireClock.Pair {
  /// A reading that was not interrupted differs from the truth by less.
  private static let closeNanoseconds: Int64 = 500

  /// The closest of up to three readings.
  package static func read() -> Self {
    var best = readOnce()
    for _ in 0..<2 where best.doubt > closeNanoseconds {
      let other = readOnce()
      if other.doubt < best.doubt { best = other }
    }
    return best
  }

  private static func readOnce() -> Self {
    let before = SystemClock.monotonicNanoseconds
    let wall = SystemClock.unixNanoseconds
    let half = (SystemClock.monotonicNanoseconds - before) / 2
    return Self(distance: wall - before - half, doubt: half)
  }
}
