internal import TapelineSystem

/// How much of the processors a thread takes whose work can wait.
///
/// While the rest of the program uses much of the machine, the thread rests after each round of work, many times as long as the
/// round has taken of a processor: on a full machine the program would lose what the thread takes. A low priority alone does not
/// spare it: the system gives the thread some of the processor all the same, and its work costs the others their caches. A thread
/// that runs only when nobody else does (`SCHED_IDLE`) could hold a lock of the allocator for long, while the others wait for it.
/// Else the thread never rests.
///
/// Knows no clock: the owner says what the clocks show. Used on the thread itself.
package struct ProcessorPace {
  /// The times of the clocks at a moment.
  package struct Times {
    package let now: MonotonicInstant
    /// Nanoseconds of the processors that the thread has used.
    package let thread: Int64
    /// Nanoseconds of the processors that the whole program has used.
    package let process: Int64

    package init(now: MonotonicInstant, thread: Int64, process: Int64) {
      self.now = now
      self.thread = thread
      self.process = process
    }

    /// Their times now, on this thread.
    package static var current: Self {
      Self(now: .now, thread: SystemClock.threadNanoseconds, process: SystemClock.processNanoseconds)
    }
  }

  /// Whether the rest of the program uses so much of the processors that the thread must not.
  package private(set) var isBusy = false
  /// A rest is so many times as long as the work before it.
  private let restFactor: Int64
  /// The share of one processor from which on the rest of the program is busy.
  private let busyShare: Double
  /// At the beginning of the window over which the use is measured.
  private var windowStart: Times
  /// The time that the thread had used at the end of the last round.
  private var thread: Int64
  /// `nil` while the program is not busy.
  private var restsUntil: MonotonicInstant?

  /// The part of the machine from which on the rest of the program is busy.
  private static let busyPart = 0.25
  private static let window = Duration.milliseconds(100)
  /// One piece of work may be large, but nobody waits longer for the next.
  private static let longestRest = Duration.seconds(1)

  /// - Parameters:
  ///   - restFactor: a rest is so many times as long as the work before it.
  ///   - processors: of the machine.
  package init(restFactor: Int64, processors: Int = CurrentProcess.processorCount, _ times: Times = .current) {
    self.restFactor = restFactor
    busyShare = Self.busyPart * Double(processors)
    windowStart = times
    thread = times.thread
  }

  /// Takes what the clocks show after a round of work.
  package mutating func note(_ times: Times = .current) {
    measure(times)
    let work = times.thread - thread
    thread = times.thread
    guard isBusy else {
      restsUntil = nil
      return
    }
    let rest = min(work * restFactor, Self.longestRest.nanoseconds)
    restsUntil = max(restsUntil ?? times.now, times.now).advanced(byNanoseconds: rest)
  }

  private mutating func measure(_ times: Times) {
    let elapsed = times.now.nanoseconds(since: windowStart.now)
    guard elapsed >= Self.window.nanoseconds else { return }
    let used = times.process - windowStart.process - (times.thread - windowStart.thread)
    isBusy = Double(used) >= busyShare * Double(elapsed)
    windowStart = times
  }

  /// The remainder of the rest; zero if there is work to do.
  package func rest(at now: MonotonicInstant) -> Duration {
    restsUntil.map { .nanoseconds(max(0, $0.nanoseconds(since: now))) } ?? .zero
  }
}
