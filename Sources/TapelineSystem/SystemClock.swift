public import Glibc

/// The system's clocks. For instants and durations see `MonotonicInstant`, which reads the first of them.
@usableFromInline
package enum SystemClock {
  /// Nanoseconds on `CLOCK_MONOTONIC`: since the machine's start, on Linux.
  @inlinable
  package static var monotonicNanoseconds: Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

  /// Nanoseconds since 1970-01-01T00:00:00Z.
  @inlinable
  package static var unixNanoseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) }

  /// Nanoseconds of processor time that this thread has had, in which a busy machine has no part.
  package static var threadNanoseconds: Int64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  /// The same of all threads of this process.
  package static var processNanoseconds: Int64 { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// How far the local time is ahead of UTC at a time, in seconds, by the rules of the zone that `TZ` names, else of the system's;
  /// 0 when the zone cannot tell.
  package static func secondsEast(atUnixSeconds unixSeconds: Int) -> Int {
    var time = time_t(unixSeconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }

  /// These clocks exist on every Linux, so a failure is not an error that a caller could act on.
  @inlinable
  static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    let status = unsafe clock_gettime(clock, &time)
    precondition(status == 0, "clock_gettime failed for a clock that Linux always has")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
