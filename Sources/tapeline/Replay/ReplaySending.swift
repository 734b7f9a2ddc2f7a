internal import TapelineCore
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineTLS
internal import TapelineTime

/// `tapeline replay --send`: the requests of a capture, sent again through a proxy of our own that records them.
struct ReplaySending {
  let file: String
  /// The body files of the capture.
  let bodies: BodyFiles
  let timing: ReplayTiming
  let sending: ReplaySendingOptions
  let options: CaptureOptions

  /// The counts for the summary.
  private struct Counts {
    var sent = 0
    var leftOut = 0
    var redacted = 0
    var incomplete = 0
  }

  func run() throws {
    let source = try CaptureFile.source(file)
    if options.log.force, let output = options.log.output, source.isFile(at: output) {
      throw CommandFailure(
        status: .usage, what: output, why: "it is the capture whose requests are sent", remedy: "choose another name with -o")
    }
    var capture = CaptureFile(source, filter: try sending.query(), bodies: bodies, bringsBodiesIn: true)
    // This process itself is the client: it needs no lasting authority.
    let directory = try PrivateDirectory(environment: ProcessEnvironment.variables())
    defer { withExtendedLifetime(directory) {} }
    let recording = try Recording(
      options: options,
      defaults: Recording.Defaults(
        listen: .loopback(port: 0), intercepts: true, title: "tapeline replay --send \(file)", scratch: directory.path))
    do {
      let sender = RequestSender(configuration: try configuration(for: recording), parallel: parallel)
      let counts = try send(&capture, by: sender)
      say(counts, unsendable: sender.finish())
    } catch {
      _ = recording.conclude(isQuiet: true)
      throw error
    }
    if let failure = recording.conclude(isQuiet: options.quiet) { throw failure }
  }

  /// With recorded times, requests that overlapped in the capture overlap again.
  private var parallel: Int { timing == .none ? sending.parallel : 1_024 }

  private func send(_ capture: inout CaptureFile, by sender: RequestSender) throws(CommandFailure) -> Counts {
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
      SystemThread.sleep(nanoseconds: pace.delay(before: request.startedNanoseconds, at: .now))
      sender.send(request)
    }
    return counts
  }

  private func configuration(for recording: Recording) throws(CommandFailure) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    // Send the recorded cookies, and no cookie that today's answers set.
    configuration.httpCookieStorage = nil
    let endpoint = recording.endpoints[0].reachable
    configuration.upstreamProxy = UpstreamProxy(host: endpoint.address.host, port: endpoint.address.port)
    guard let interception = recording.interception else { return configuration }
    do {
      let authority = try AuthorityCertificate.load(from: AuthorityDirectory(path: interception.directory))
      configuration.tls.trustRoots = .only([try Certificate(der: authority.der)])
    } catch {
      throw CommandFailure(
        status: .badInput, what: "cannot trust our own authority", why: "\(error)", remedy: "see tapeline ca path")
    }
    return configuration
  }

  private func say(_ counts: Counts, unsendable: Int) {
    guard !options.quiet else { return }
    var parts = ["\(Count.text(counts.sent - unsendable, "request", "requests")) of \(file) sent again"]
    if counts.leftOut > 0 { parts.append("\(counts.leftOut) left out, which were tunnels") }
    if counts.incomplete > 0 { parts.append("\(counts.incomplete) with incomplete bodies") }
    if counts.redacted > 0 { parts.append("\(counts.redacted) with redacted values in place of secrets") }
    Console.say(parts.joined(separator: ", "))
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

  /// How long to wait, in nanoseconds, before the request that began at `started` in the capture.
  mutating func delay(before started: Int?, at now: MonotonicInstant) -> Int64 {
    guard timing != .none, let started else { return 0 }
    let first = self.first ?? started
    self.first = first
    let due = timing.nanoseconds((Double(started) - Double(first)) / 1e6)
    return max(0, due - now.nanoseconds(since: began))
  }
}
