internal import TapelineTime

/// How much of the processor the live page takes. While the proxy is busy, the page's thread rests after each round of work, many
/// times as long as the round has taken of the processor: on a full machine the proxy would lose what the page takes. Else it
/// never rests.
///
/// Knows no clock: the owner says what the clocks show.
struct LivePace {
  /// What the clocks show at a moment.
  struct Times {
    let now: MonotonicInstant
    /// Nanoseconds of the processor that the page's thread has used.
    let thread: Int64
    /// Nanoseconds of the processors that the whole program has used.
    let process: Int64
  }

  /// Whether the rest of the program uses so much of the processors that the page's thread must not.
  private(set) var isBusy = false
  /// At the beginning of the window over which the use is measured.
  private var windowStart: Times
  /// What the page's thread had used at the end of the last round.
  private var thread: Int64
  private var restsUntil: MonotonicInstant

  /// Of one processor.
  private static let busyShare = 0.5
  private static let window = Duration.milliseconds(100)
  /// A rest is so many times as long as the work: the page's thread takes a fiftieth of one processor.
  private static let restFactor: Int64 = 49
  /// One piece of work may be large, but nobody waits longer for the next.
  private static let longestRest = Duration.seconds(1)

  init(_ times: Times) {
    windowStart = times
    thread = times.thread
    restsUntil = times.now
  }

  /// Takes what the clocks show after a round of work.
  mutating func note(_ times: Times) {
    measure(times)
    let work = times.thread - thread
    thread = times.thread
    guard isBusy else {
      restsUntil = times.now
      return
    }
    let rest = min(work * Self.restFactor, Self.longestRest.nanoseconds)
    restsUntil = max(restsUntil, times.now).advanced(byNanoseconds: rest)
  }

  private mutating func measure(_ times: Times) {
    let elapsed = times.now.nanoseconds(since: windowStart.now)
    guard elapsed >= Self.window.nanoseconds else { return }
    let used = times.process - windowStart.process - (times.thread - windowStart.thread)
    isBusy = Double(used) >= Self.busyShare * Double(elapsed)
    windowStart = times
  }

  /// What is left of the rest; zero if there is work to do.
  func rest(at now: MonotonicInstant) -> Duration {
    .nanoseconds(max(0, restsUntil.nanoseconds(since: now)))
  }
}
