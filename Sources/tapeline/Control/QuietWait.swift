internal import TapelineTime

/// Waits for a proxy with nothing in flight, as a value: told what the recording says, it says what to do next.
///
/// The quiet time counts from the start of the wait at the earliest: what a script has just started may not have reached the
/// proxy yet.
struct QuietWait {
  enum Step: Hashable {
    case quiet
    case ask(afterNanoseconds: Int64)
    case timedOut
  }

  private let quiet: Int64
  private let timeout: Int64
  private let start: MonotonicInstant

  /// While exchanges are in flight nothing says when they will end.
  private static let pollInterval: Int64 = 20_000_000
  private static let shortestPause: Int64 = 1_000_000

  /// Times in nanoseconds.
  init(quiet: Int64, timeout: Int64, start: MonotonicInstant) {
    self.quiet = quiet
    self.timeout = timeout
    self.start = start
  }

  func step(for traffic: RecordingStatus.Traffic, at now: MonotonicInstant) -> Step {
    let waited = now.nanoseconds(since: start)
    let silence = min(waited, Self.silence(of: traffic))
    if traffic.inFlight == 0, silence >= quiet { return .quiet }
    let patience = timeout - waited
    guard patience > 0 else { return .timedOut }
    let pause = traffic.inFlight == 0 ? quiet - silence : Self.pollInterval
    return .ask(afterNanoseconds: min(max(pause, Self.shortestPause), patience))
  }

  /// How long nothing has happened; endless where nothing ever did.
  private static func silence(of traffic: RecordingStatus.Traffic) -> Int64 {
    traffic.quietMilliseconds.map { Int64($0) * 1_000_000 } ?? .max
  }
}
