import Glibc

/// The CPU time of all of this process's threads: what other processes do meanwhile does not count.
enum CPUClock {
  static var nanoseconds: Int64 {
    var time = timespec()
    let status = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    precondition(status == 0, "clock_gettime failed for a clock that Linux always has")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
