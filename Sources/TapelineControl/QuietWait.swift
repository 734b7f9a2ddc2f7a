package import TapelineConsole
internal import TapelineSystem
package import TapelineTime

/// Waits until a proxy has nothing in flight, as a value: given the recording's traffic, it says what to do next.
///
/// The quiet time counts from the start of the wait at the earliest: what a script has just started may not have reached the
/// proxy yet.
package struct QuietWait {
  enum Step: Hashable {
    case quiet
    case ask(afterNanoseconds: Int64)
    case timedOut
  }

  private let quiet: Int64
  private let timeout: Int64
  private let countsStreams: Bool
  private let start: MonotonicInstant

  /// While exchanges are in flight, nothing tells when they will end.
  private static let pollInterval: Int64 = 20_000_000
  private static let shortestPause: Int64 = 1_000_000

  /// - Parameters:
  ///   - quiet: in nanoseconds, as is `timeout`.
  ///   - countsStreams: whether streams, open tunnels and upgraded connections have to end, too.
  package init(quiet: Int64, timeout: Int64, countsStreams: Bool, start: MonotonicInstant) {
    self.quiet = quiet
    self.timeout = timeout
    self.countsStreams = countsStreams
    self.start = start
  }

  func step(for traffic: RecordingStatus.Traffic, at now: MonotonicInstant) -> Step {
    let waited = now.nanoseconds(since: start)
    let silence = min(waited, Self.silence(of: traffic))
    let awaited = awaited(in: traffic)
    if awaited == 0, silence >= quiet { return .quiet }
    let patience = timeout - waited
    guard patience > 0 else { return .timedOut }
    let pause = awaited == 0 ? quiet - silence : Self.pollInterval
    return .ask(afterNanoseconds: min(max(pause, Self.shortestPause), patience))
  }

  /// The number of exchanges that keep the proxy from being quiet.
  func awaited(in traffic: RecordingStatus.Traffic) -> Int {
    countsStreams ? traffic.inFlight + traffic.openTunnels : traffic.inFlight - traffic.streams
  }

  /// Nanoseconds since the last event; `.max` if nothing ever happened.
  private static func silence(of traffic: RecordingStatus.Traffic) -> Int64 {
    traffic.quietMilliseconds.map { Int64($0) * 1_000_000 } ?? .max
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
      case .ask(let interval): SystemThread.sleep(nanoseconds: interval)
      case .timedOut: return awaited(in: traffic)
      }
    }
  }
}
