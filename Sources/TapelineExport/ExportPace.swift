internal import TapelineSystem
internal import TapelineTime

/// Work of the exporter's thread, from now on, and the rest that it owes to others.
///
/// A low priority alone does not spare a busy machine: the system gives the thread some of the processor all the same, and its
/// work costs the others their caches. So the thread looks whether it had to wait for the processor, and takes no more than a
/// small part of it while others need it. On an idle machine it takes what it needs. A thread that runs only when nobody else
/// does (`SCHED_IDLE`) could hold a lock of the allocator for long, while the relay waits for it.
struct ExportPace {
  private let began = MonotonicInstant.now
  private let used = SystemClock.threadNanoseconds

  /// The part of one processor that is taken while others need it: a 25th.
  private static let share: Int64 = 25
  /// A thread that waited this long did not wait for the processor alone.
  private static let tolerance: Int64 = 20_000

  /// How long to rest after the work; `nil` if nobody else needed the processor.
  func rest(at now: MonotonicInstant) -> Duration? {
    Self.rest(afterUsing: SystemClock.threadNanoseconds - used, within: now.nanoseconds(since: began))
  }

  /// - Parameters:
  ///   - used: nanoseconds of processor time.
  ///   - passed: nanoseconds on the clock, of which a quarter more than was used is usual.
  static func rest(afterUsing used: Int64, within passed: Int64) -> Duration? {
    passed > used + used / 4 + tolerance ? .nanoseconds(used * (share - 1)) : nil
  }
}
