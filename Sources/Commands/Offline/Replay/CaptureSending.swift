internal import TapelineCore
internal import TapelineInspect
internal import TapelineSystem
internal import TapelineTLS
internal import TapelineBase
internal import TapelineTime
package import TapelineTransport

/// `tapeline replay --send`: the requests of a capture, sent again through a proxy that records them.
package struct CaptureSending {
  private let timing: ReplayTiming
  /// The most requests in flight at a time.
  private let parallel: Int

  /// With recorded times, requests that overlapped in the capture overlap again, whatever `parallel` says.
  package init(timing: ReplayTiming, parallel: Int) {
    self.timing = timing
    self.parallel = timing == .none ? parallel : 1_024
  }

  /// Counts of what became of the requests of a capture.
  package struct Counts {
    var sent = 0
    var leftOut = 0
    var redacted = 0
    var incomplete = 0
    var unsendable = 0

    /// For people.
    ///
    /// - Parameter file: the capture's name.
    package func text(of file: String) -> String {
      var parts = ["\(Count.text(sent - unsendable, "request")) of \(file) sent again"]
      if leftOut > 0 { parts.append("\(leftOut) left out, which were tunnels") }
      if incomplete > 0 { parts.append("\(incomplete) with incomplete bodies") }
      if redacted > 0 { parts.append("\(redacted) with redacted values in place of secrets") }
      return parts.joined(separator: ", ")
    }
  }

  /// Sends the requests, and returns when all of them have ended.
  ///
  /// - Parameter authority: the directory of the authority whose certificates the proxy makes; `nil` if it tunnels HTTPS.
  package func send(
    _ capture: inout CaptureFile, through proxy: UpstreamProxy, trusting authority: String?
  ) throws(CommandFailure) -> Counts {
    let sender = RequestSender(configuration: try configuration(proxy, authority), parallel: parallel)
    var counts = Counts()
    var pace = ReplayPace(timing: timing, began: .now)
    while let (_, entry) = try capture.next() {
      guard let request = RecordedRequest(entry) else {
        counts.leftOut += 1
        continue
      }
      counts.sent += 1
      if request.isRedacted { counts.redacted += 1 }
      if request.isIncomplete { counts.incomplete += 1 }
      SystemThread.sleep(for: pace.delay(before: request.startedNanoseconds, at: .now))
      sender.send(request)
    }
    counts.unsendable = sender.finish()
    return counts
  }

  private func configuration(_ proxy: UpstreamProxy, _ authority: String?) throws(CommandFailure) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    // Send the recorded cookies, and no cookie that today's answers set.
    configuration.httpCookieStorage = nil
    configuration.upstreamProxy = proxy
    guard let authority else { return configuration }
    do {
      let certificate = try AuthorityCertificate.load(from: AuthorityDirectory(path: authority))
      configuration.tls.trustRoots = .only([try Certificate(der: certificate.der)])
    } catch {
      throw CommandFailure(
        status: .badInput, what: "cannot trust our own authority", why: "\(error)", remedy: "see tapeline ca path")
    }
    return configuration
  }
}

/// When the requests of a capture are due, relative to the first request.
struct ReplayPace {
  private let timing: ReplayTiming
  private let began: MonotonicInstant
  private var first: Int?

  init(timing: ReplayTiming, began: MonotonicInstant) {
    self.timing = timing
    self.began = began
  }

  /// How long to wait before the request that began at `started` in the capture.
  mutating func delay(before started: Int?, at now: MonotonicInstant) -> Duration {
    guard timing != .none, let started else { return .zero }
    let first = self.first ?? started
    self.first = first
    let due = timing.duration(ofMilliseconds: (Double(started) - Double(first)) / 1e6)
    return max(.zero, due - now.duration(since: began))
  }
}
