package import TapelineTime

/// The time at which a wait gives up, so that no test can hang.
package struct Deadline: Sendable {
  package let instant: MonotonicInstant

  package static func after(seconds: Int64) -> Deadline {
    after(milliseconds: seconds * 1000)
  }

  package static func after(milliseconds: Int64) -> Deadline {
    Deadline(instant: MonotonicInstant.now.advanced(byNanoseconds: milliseconds * 1_000_000))
  }

  package var hasPassed: Bool { MonotonicInstant.now >= instant }

  /// For `poll`: rounded up, so that a wait that returns 0 has really passed the deadline.
  var remainingMilliseconds: Int32 {
    let nanoseconds = instant.nanoseconds(since: .now)
    return Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000))
  }
}
