internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// One connection to an origin, with or without TLS: carries one task at a time, an exchange or a raw stream. Loop-bound.
///
/// Kept alive by the task it carries, by its channel or, while idle, by the pool. Its stored properties belong to this file and its
/// extensions: how it comes to stand (`+Opening`), the exchange (`+Exchange`), the stream (`+Stream`), what the link tells (`+Link`).
final class UpstreamConnection {
  enum Phase {
    case connecting(Connector)
    /// The TLS handshake is under way: for the task, or ahead of one.
    case securing
    /// Stands, has carried nothing, and belongs to no task.
    case prepared
    case idle
    case exchanging
    case streaming
    case closed
  }

  let id: UInt64
  /// Final once a task or a handshake has begun on the connection.
  var route: Route
  unowned let transport: NetworkTransport
  var phase: Phase = .closed
  var link: Link?
  var task: SessionTask?
  /// ALPN offers HTTP/1.1 alone; another protocol would take this place, by what the handshake agreed on.
  var http: HTTP1Connection
  var progress = ExchangeProgress(hasWaited: false, isReplayable: false)
  /// Octets still owed of a request body with a length.
  var bodyRemaining: UInt64 = 0
  var info: ConnectionInfo?
  /// From `queued` to `tlsEnd`: how the connection came to stand.
  var setUp = TimelineMarks()
  /// Why a handshake ahead of any task failed: the first task is told.
  var setUpFailure: TransportError?
  var handshake: HandshakeOutcome?
  var onTLSEnd: ((Result<TLSParameters, TransportError>) -> Void)?
  /// When the first octet of the response head that is being read came; an interim response has its own.
  var headBegan: MonotonicInstant?
  var sentEnd = false
  var receivedEnd = false
  private var patience: Timer?

  init(route: Route, transport: NetworkTransport) {
    id = ConnectionID.next()
    self.route = route
    self.transport = transport
    http = HTTP1Connection(role: .client, limits: transport.configuration.limits)
  }

  var loop: EventLoop { transport.loop }

  // MARK: The task's commands

  func resumeReceiving() {
    link?.resumeReading()
    if case .exchanging = phase, progress.responseBegan { wait(transport.configuration.idleTimeoutNanoseconds) }
  }

  func cancel(_ task: SessionTask) {
    if case .connecting(let connector) = phase { connector.cancel() }
    measure()
    self.task = nil
    close()
    task.complete(with: .cancelled)
  }

  // MARK: Ending

  /// Ends the connection. A task it carries is not told: see `fail` and `cancel`.
  func close() {
    phase = .closed
    patience?.cancel()
    patience = nil
    link?.close()
    link = nil
  }

  func fail(_ error: TransportError) {
    guard let task else { return close() }
    measure()
    let retries = progress.allowsRetry(attempts: task.metrics.attempts)
    self.task = nil
    close()
    if retries {
      transport.restart(task)
    } else {
      task.complete(with: error)
    }
  }

  /// Writes down what is known of the connection while it is still there to ask.
  func measure() {
    guard let task, let link else { return }
    info?.tcp = link.recentTCPInfo(at: .now)
    task.metrics.connection = info
    if let headBegan { task.metrics.marks.stamp(.responseFirstByte, at: headBegan) }
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life; `nil` when it is not the origin's turn.
  func wait(_ nanoseconds: Int64?, from now: MonotonicInstant? = nil) {
    guard let nanoseconds else {
      patience?.cancel()
      return
    }
    let timer = patience ?? Timer(loop: loop) { [unowned self] in runOutOfPatience() }
    patience = timer
    timer.start(at: (now ?? .now).advanced(byNanoseconds: nanoseconds))
  }

  private func runOutOfPatience() {
    switch phase {
    case .securing: handshakeDidFail(.timedOut(in: .tls))
    case .connecting, .prepared, .idle, .exchanging, .streaming, .closed: fail(.timedOut(in: reached))
    }
  }

  /// The phase that an error now belongs to.
  var reached: TransportError.Phase {
    switch phase {
    case .connecting: .connect
    case .securing: .tls
    case .streaming: .receive
    case .prepared, .idle, .exchanging, .closed:
      progress.responseBegan ? .receive : progress.requestEnded ? .wait : .send
    }
  }
}
