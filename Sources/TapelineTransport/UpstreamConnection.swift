internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime

/// One TCP connection to an origin: carries one task at a time, an exchange or a raw stream. Loop-bound.
///
/// Kept alive by the task it carries or, while idle, by the pool. Its stored properties belong to this file and its two extensions: the
/// exchange (`+Exchange`) and what the channel tells (`+Channel`).
final class UpstreamConnection {
  enum Phase {
    case connecting(Connector)
    case idle
    case exchanging
    case streaming
    case closed
  }

  let id: UInt64
  let route: Route
  unowned let transport: NetworkTransport
  var phase: Phase = .closed
  var channel: Channel?
  var task: SessionTask?
  var http: HTTP1Connection
  var progress = ExchangeProgress(isReused: false, isReplayable: false)
  /// Octets still owed of a request body with a length.
  var bodyRemaining: UInt64 = 0
  var info: ConnectionInfo?
  /// When the first octet of the response head that is being read came; an interim response has its own.
  var headBegan: MonotonicInstant?
  private var sentEnd = false
  var receivedEnd = false
  private var patience: Timer?

  init(route: Route, transport: NetworkTransport) {
    id = ConnectionID.next()
    self.route = route
    self.transport = transport
    http = HTTP1Connection(role: .client, limits: transport.configuration.limits)
  }

  private var loop: EventLoop { transport.loop }

  // MARK: Connecting

  func connect(for task: SessionTask) {
    self.task = task
    task.carrier = self
    var configuration = Connector.Configuration()
    configuration.connectTimeoutNanoseconds = transport.configuration.connectTimeoutNanoseconds
    let connector = Connector(
      loop: loop, resolver: transport.resolver, host: route.host, port: route.port, configuration: configuration)
    phase = .connecting(connector)
    connector.start { [self] result, marks in connected(result, marks) }
  }

  private func connected(_ result: consuming Connector.Result, _ marks: TimelineMarks) {
    guard let task else { return }
    task.metrics.marks.adopt(.dnsStart ... .connectEnd, from: marks)
    switch consume result {
    case .failed(let error):
      phase = .closed
      self.task = nil
      task.complete(with: error)
    case .connected(let descriptor, peer: let peer):
      establish(descriptor, peer: peer, for: task)
    }
  }

  private func establish(_ descriptor: consuming FileDescriptor, peer: SocketAddress, for task: SessionTask) {
    let channel = Channel(loop: loop, descriptor: descriptor, peer: peer)
    self.channel = channel
    info = ConnectionInfo(id: id, address: peer.host, port: peer.port, isReused: false)
    task.metrics.connection = info
    guard !transport.configuration.refusedPeers.contains(where: { $0.covers(peer) }) else {
      return fail(.loopDetected(peer))
    }
    channel.handler = self
    channel.start()
    switch task.work {
    case .exchange(let request):
      begin(request, of: task, isReused: false)
    case .stream:
      phase = .streaming
      task.didOpenStream()
    }
  }

  // MARK: A stream

  func send(_ bytes: Span<UInt8>) -> Demand {
    guard case .streaming = phase, let channel else { return .more }
    channel.write(bytes)
    return channel.isAboveHighWater ? .pause : .more
  }

  func finishSending() {
    guard case .streaming = phase, !sentEnd else { return }
    sentEnd = true
    channel?.shutdownOutput()
    endStreamIfComplete()
  }

  func endStreamIfComplete() {
    guard sentEnd, receivedEnd, let task, let channel else { return }
    measure()
    phase = .closed
    self.task = nil
    channel.closeAfterFlush()
    task.complete(with: nil)
  }

  // MARK: The task's commands

  func resumeReceiving() {
    channel?.resumeReading()
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
    channel?.close()
    channel = nil
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
    guard let task, let channel else { return }
    info?.tcp = channel.recentTCPInfo(at: .now)
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
    let timer = patience ?? Timer(loop: loop) { [weak self] in self?.runOutOfPatience() }
    patience = timer
    timer.start(at: (now ?? .now).advanced(byNanoseconds: nanoseconds))
  }

  private func runOutOfPatience() {
    fail(.timedOut(in: reached))
  }

  /// The phase that an error now belongs to.
  var reached: TransportError.Phase {
    if case .streaming = phase { return .receive }
    if progress.responseBegan { return .receive }
    return progress.requestEnded ? .wait : .send
  }
}
