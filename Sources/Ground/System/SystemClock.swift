public import Glibc

/// The system's clocks. For instants and durations see `MonotonicInstant`, which reads the first of them.
public enum SystemClock {
  /// Nanoseconds on `CLOCK_MONOTONIC`: on Linux, since the machine's start.
  @inlinable
  public static var monotonicNanoseconds: Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

  /// Nanoseconds since 1970-01-01T00:00:00Z.
  @inlinable
  public static var unixNanoseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) }

  /// Nanoseconds of processor time that this thread has used; the load of the machine does not matter.
  package static var threadNanoseconds: Int64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  /// Nanoseconds of processor time that all threads of this process have used.
  package static var processNanoseconds: Int64 { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// How many seconds the local time is ahead of UTC at a given time, by the rules of the zone that `TZ` names, else of the
  /// system's zone; 0 if the zone cannot tell.
  package static func secondsEast(atUnixSeconds unixSeconds: Int) -> Int {
    var time = time_t(unixSeconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }

  /// These clocks exist on every Linux, so a caller could not act on a failure.
  @inlinable
  static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    let status = unsafe clock_gettime(clock, &time)
    precondition(status == 0, "clock_gettime failed for a clock that Linux always has")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
