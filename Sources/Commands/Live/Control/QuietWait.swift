package import TapelineOffline
internal import TapelineSystem
package import TapelineTime

/// Waits until a proxy has nothing in flight, as a value: given the recording's traffic, it says what to do next.
///
/// The quiet time counts from the start of the wait at the earliest: what a script has just started may not have reached the
/// proxy yet.
package struct QuietWait {
  enum Step: Hashable {
    case quiet
    case ask(after: Duration)
    case timedOut
  }

  private let quiet: Duration
  private let timeout: Duration
  private let countsStreams: Bool
  private let start: MonotonicInstant

  /// While exchanges are in flight, nothing tells when they will end.
  private static let pollInterval = Duration.milliseconds(20)
  private static let shortestPause = Duration.milliseconds(1)

  /// - Parameter countsStreams: whether streams, open tunnels and upgraded connections have to end, too.
  package init(quiet: Duration, timeout: Duration, countsStreams: Bool, start: MonotonicInstant) {
    self.quiet = quiet
    self.timeout = timeout
    self.countsStreams = countsStreams
    self.start = start
  }

  func step(for traffic: RecordingStatus.Traffic, at now: MonotonicInstant) -> Step {
    let waited = now.duration(since: start)
    let silence = Self.silence(of: traffic).map { min(waited, $0) } ?? waited
    let awaited = awaited(in: traffic)
    if awaited == 0, silence >= quiet { return .quiet }
    let patience = timeout - waited
    guard patience > .zero else { return .timedOut }
    let pause = awaited == 0 ? quiet - silence : Self.pollInterval
    return .ask(after: min(max(pause, Self.shortestPause), patience))
  }

  /// The number of exchanges that keep the proxy from being quiet.
  func awaited(in traffic: RecordingStatus.Traffic) -> Int {
    countsStreams ? traffic.inFlight + traffic.openTunnels : traffic.inFlight - traffic.streams
  }

  /// The time since the last event; `nil` if nothing ever happened.
  private static func silence(of traffic: RecordingStatus.Traffic) -> Duration? {
    traffic.quietMilliseconds.map { .milliseconds($0) }
  }
}

extension QuietWait {
  /// Asks the recording until it is quiet.
  ///
  /// - Returns: how many exchanges were in flight when the time was up; `nil` if the recording is quiet.
  package func wait(for client: ControlClient) throws(CommandFailure) -> Int? {
    while true {
      let traffic = try client.status().traffic
      switch step(for: traffic, at: .now) {
      case .quiet: return nil
      case .ask(let interval): SystemThread.sleep(for: interval)
      case .timedOut: return awaited(in: traffic)
      }
    }
  }
}
