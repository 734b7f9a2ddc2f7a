internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime

/// One TCP connection to an origin: carries one task at a time, an exchange or a raw stream. Loop-bound.
///
/// Kept alive by the task it carries or, while idle, by the pool.
final class UpstreamConnection {
  private enum Phase {
    case connecting(Connector)
    case idle
    case exchanging
    case streaming
    case closed
  }

  let id: UInt64
  let route: Route
  private unowned let transport: NetworkTransport
  private var phase: Phase = .closed
  private var channel: Channel?
  private var task: SessionTask?
  private var http: HTTP1Connection
  private var progress = ExchangeProgress(isReused: false, isReplayable: false)
  /// Octets still owed of a request body with a length.
  private var bodyRemaining: UInt64 = 0
  private var info: ConnectionInfo?
  /// When the first octet of the response head that is being read came; an interim response has its own.
  private var headBegan: MonotonicInstant?
  private var sentEnd = false
  private var receivedEnd = false
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

  // MARK: An exchange

  /// Carries another task on this idle connection.
  func begin(_ task: SessionTask) {
    guard case .exchange(let request) = task.work else {
      preconditionFailure("a stream was put on a connection that has carried exchanges")
    }
    self.task = task
    task.carrier = self
    info?.isReused = true
    task.metrics.connection = info
    begin(request, of: task, isReused: true)
  }

  private func begin(_ request: OutgoingRequest, of task: SessionTask, isReused: Bool) {
    guard let channel else { preconditionFailure("an exchange begins on a connection that stands") }
    phase = .exchanging
    progress = ExchangeProgress(isReused: isReused, isReplayable: request.isReplayable)
    headBegan = nil
    http.expectResponse(to: request.head.method)
    channel.withOutput { ForwardedRequest.append(head: request.head, framing: request.framing, into: &$0) }
    switch request.framing {
    case .none, .length(0):
      endRequest()
    case .length(let length):
      bodyRemaining = length
      pumpBody()
    case .chunked:
      pumpBody()
    case .untilClose:
      preconditionFailure("a request body is never delimited by close (RFC 9112 6.3)")
    }
  }

  /// Moves the task's body to the connection until it has nothing now or enough is queued.
  func pumpBody() {
    guard case .exchanging = phase, !progress.requestEnded else { return }
    guard let task, let channel, case .exchange(let request) = task.work else { return }
    while !channel.isAboveHighWater {
      switch task.nextBodyChunk(limit: 64 * 1024) {
      case .bytes(let chunk):
        write(chunk, framing: request.framing, to: channel)
        task.didSendBody(chunk.count)
      case .later:
        return
      case .end:
        if request.framing == .chunked {
          let trailers = task.trailers
          let removed = trailers.map { _ in HopByHopFields(of: request.head.fields) }
          channel.withOutput { ChunkedEncoder.appendLastChunk(trailers: trailers, without: removed, into: &$0) }
        }
        return endRequest()
      }
    }
    wait(transport.configuration.idleTimeoutNanoseconds)
  }

  private func write(_ chunk: [UInt8], framing: BodyFraming, to channel: Channel) {
    switch framing {
    case .chunked:
      channel.withOutput { ChunkedEncoder.appendChunkHeader(size: chunk.count, into: &$0) }
      channel.write(chunk)
      channel.withOutput { ChunkedEncoder.appendChunkEnd(into: &$0) }
    case .none, .length, .untilClose:
      precondition(UInt64(chunk.count) <= bodyRemaining, "a body source gave more than the length it promised")
      bodyRemaining -= UInt64(chunk.count)
      channel.write(chunk)
    }
  }

  private func endRequest() {
    progress.endRequest()
    wait(transport.configuration.responseTimeoutNanoseconds)
  }

  private func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task, let channel else { return }
    task.metrics.bytesReceived += UInt64(bytes.count)
    progress.beginResponse()
    if headBegan == nil { headBegan = instant }
    task.metrics.marks.move(.responseLastByte, to: instant)
    var demand = Demand.more
    var offset = 0
    do throws(HTTPParseError) {
      while let event = try http.receive(bytes, from: &offset) {
        switch event {
        case .requestHead:
          preconditionFailure("a connection in the client role read a request")
        case .informational(let head):
          headBegan = offset < bytes.count ? instant : nil
          task.didReceiveInformational(head)
        case .responseHead(let head) where head.status == 101:
          return fail(.unsolicitedUpgrade)
        case .responseHead(let head):
          task.metrics.marks.stamp(.responseFirstByte, at: headBegan ?? instant)
          task.metrics.marks.stamp(.responseHeadEnd, at: instant)
          task.responseFraming = http.framing
          if task.didReceive(head) == .cancel { return task.cancel() }
        case .body(let range):
          demand = task.didReceive(bytes.extracting(range), at: instant)
        case .trailers(let trailers):
          task.didReceiveTrailers(trailers)
        case .end:
          return endResponse(mayPersist: offset == bytes.count)
        }
        // A callback may have cancelled the task, and with it this exchange.
        guard self.task === task else { return }
      }
    } catch {
      return fail(.malformedResponse(error))
    }
    switch demand {
    case .more:
      wait(progress.requestEnded ? transport.configuration.idleTimeoutNanoseconds : nil, from: instant)
    case .pause:
      wait(nil)
      channel.pauseReading()
    }
  }

  /// The response ended at its framing (or, when that is its framing, at the close).
  private func endResponse(mayPersist: Bool) {
    guard let task, let channel else { return }
    progress.endResponse()
    wait(nil)
    measure()
    self.task = nil
    if mayPersist, progress.leavesConnectionClean, http.mayPersist, channel.bufferedBytes == 0, !receivedEnd {
      phase = .idle
      channel.resumeReading()
      transport.pool.put(self, at: .now)
    } else {
      close()
    }
    task.complete(with: nil)
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

  private func endStreamIfComplete() {
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

  /// Closes an idle connection that the pool has let go.
  func closeIdle() {
    close()
  }

  private func close() {
    phase = .closed
    patience?.cancel()
    patience = nil
    channel?.close()
    channel = nil
  }

  private func fail(_ error: TransportError) {
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
  private func measure() {
    guard let task, let channel else { return }
    info?.tcp = channel.recentTCPInfo(at: .now)
    task.metrics.connection = info
    if let headBegan { task.metrics.marks.stamp(.responseFirstByte, at: headBegan) }
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life; `nil` when it is not the origin's turn.
  private func wait(_ nanoseconds: Int64?, from now: MonotonicInstant? = nil) {
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
  private var reached: TransportError.Phase {
    if case .streaming = phase { return .receive }
    if progress.responseBegan { return .receive }
    return progress.requestEnded ? .wait : .send
  }
}

extension UpstreamConnection: ChannelHandler {
  func channel(_ channel: Channel, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch phase {
    case .exchanging:
      receive(bytes, at: instant)
    case .streaming:
      receiveStream(bytes, at: instant)
    case .idle:
      // Nobody asked: the connection's framing can no longer be trusted.
      leavePool()
    case .connecting, .closed:
      preconditionFailure("a channel delivered octets before it was started or after it was closed")
    }
  }

  private func receiveStream(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task, let channel else { return }
    task.metrics.bytesReceived += UInt64(bytes.count)
    task.metrics.marks.stamp(.responseFirstByte, at: instant)
    task.metrics.marks.move(.responseLastByte, to: instant)
    if task.didReceive(bytes, at: instant) == .pause { channel.pauseReading() }
  }

  func channelDidReceiveEnd(_ channel: Channel, at instant: MonotonicInstant) {
    receivedEnd = true
    switch phase {
    case .exchanging:
      endExchangeAtClose()
    case .streaming:
      task?.didReceiveEnd()
      endStreamIfComplete()
    case .idle:
      leavePool()
    case .connecting, .closed:
      preconditionFailure("a channel ended before it was started or after it was closed")
    }
  }

  private func endExchangeAtClose() {
    do throws(HTTPParseError) {
      switch try http.receiveEnd() {
      case .end:
        endResponse(mayPersist: false)
      case nil, .informational, .requestHead, .responseHead, .body, .trailers:
        fail(.closedEarly(in: reached))
      }
    } catch {
      fail(progress.responseBegan ? .truncatedResponse(error) : .closedEarly(in: reached))
    }
  }

  func channel(_ channel: Channel, didWrite count: Int, at instant: MonotonicInstant) {
    guard let task else { return }
    task.metrics.bytesSent += UInt64(count)
    task.metrics.marks.stamp(.sentFirst, at: instant)
    switch phase {
    case .exchanging:
      task.metrics.marks.move(.sentLast, to: instant)
      if !progress.requestEnded { wait(channel.bufferedBytes > 0 ? transport.configuration.idleTimeoutNanoseconds : nil) }
    case .streaming:
      // A stream has no end of sending that the peer waits for: the first octets stand for the request.
      task.metrics.marks.stamp(.sentLast, at: instant)
    case .connecting, .idle, .closed:
      break
    }
  }

  func channelDidDrain(_ channel: Channel) {
    switch phase {
    case .exchanging:
      pumpBody()
    case .streaming:
      task?.canSendMore()
    case .connecting, .idle, .closed:
      break
    }
  }

  func channel(_ channel: Channel, didFail error: TransportError) {
    switch phase {
    case .idle:
      leavePool()
    case .exchanging, .streaming:
      fail(error.at(.upstream, reached))
    case .connecting, .closed:
      close()
    }
  }

  private func leavePool() {
    transport.pool.remove(self)
    close()
  }
}
