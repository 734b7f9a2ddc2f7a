internal import TapelineSystem

/// A point on `CLOCK_MONOTONIC`, in nanoseconds since an arbitrary origin (boot, on Linux).
///
/// It never goes back and no administrator can step it, so a difference of two instants is a true duration.
/// It is unrelated to the time of day: see `WallClockAnchor`.
package struct MonotonicInstant: Sendable, Hashable, Comparable {
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package static var now: MonotonicInstant {
    MonotonicInstant(nanoseconds: SystemClock.monotonicNanoseconds)
  }

  package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Nanoseconds from `earlier` to this instant; negative when `earlier` is later.
  package func nanoseconds(since earlier: MonotonicInstant) -> Int64 {
    nanoseconds - earlier.nanoseconds
  }

  package func advanced(byNanoseconds delta: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: nanoseconds + delta)
  }
}
