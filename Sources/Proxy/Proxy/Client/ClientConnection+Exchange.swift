internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// The client's end of an exchange, in HTTP/1: status lines, chunks, and which response lets the connection go on.
extension ClientConnection: ClientExchange {
  func sendContinue() {
    link.withOutput { HeadSerializer.appendContinue(into: &$0) }
  }

  func sendInformational(_ head: ResponseHead, to request: OutgoingRequest) {
    guard request.head.version >= .http11 else { return }
    var forwarding = forwarding(to: request, framing: .none, persists: true)
    link.withOutput { forwarding.append(head, into: &$0) }
  }

  func sendHead(
    _ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest, content received: BodyFraming?,
    originPersists: Bool, at instant: MonotonicInstant
  ) -> ResponseForwarding {
    let endsWithOrigin = client.endsWithOrigin
    let framing = ResponseForwarding.framing(
      of: received ?? .none, to: request.head.version, endsConnection: endsWithOrigin)
    let mayPersist = originPersists || !endsWithOrigin
    let persists = machine.note { $0.begin(framing, mayPersist: mayPersist) } ?? false
    var forwarding = forwarding(to: request, framing: framing, persists: persists)
    forwarding.date = shard.date.text(at: instant)
    link.withOutput { forwarding.append(head, into: &$0) }
    // If we crash or are killed meanwhile, the kernel must not end the content for us (RFC 9112 6.3).
    if framing == .untilClose { link.guardEnd() }
    return forwarding
  }

  private func forwarding(to request: OutgoingRequest, framing: BodyFraming, persists: Bool) -> ResponseForwarding {
    var forwarding = ResponseForwarding(
      to: request.head.method, of: request.head.version, framing: framing, persists: persists)
    forwarding.isPaired = request.connections != nil
    forwarding.stripsAlternatives = shard.configuration.stripsAlternatives
    if shard.configuration.namesItself { forwarding.pseudonym = shard.configuration.pseudonym }
    return forwarding
  }

  func sendBody(_ bytes: Span<UInt8>) -> Demand {
    switch machine.passage {
    case .none:
      return .more
    case .plain:
      link.write(bytes)
    case .chunk:
      link.withOutput { ChunkedEncoder.appendChunkHeader(size: bytes.count, into: &$0) }
      link.write(bytes)
      link.withOutput { ChunkedEncoder.appendChunkEnd(into: &$0) }
    }
    return link.isAboveHighWater ? .pause : .more
  }

  func endResponse(trailers: HeaderFields?, without removed: HopByHopFields?) {
    guard machine.note({ $0.end() }) == true else { return }
    link.withOutput { ChunkedEncoder.appendLastChunk(trailers: trailers, without: removed, into: &$0) }
  }

  func answer(_ reply: LocalReply, to head: RequestHead?) {
    let persists = machine.note { $0.answer() } ?? false
    link.send(
      reply, to: head?.version ?? .http11, persists: persists, hasBody: head?.method != .head, date: shard.date.text(at: .now))
  }

  var tunnel: InterceptedTunnel? { client.tunnel }

  /// HTTP/1 has no streams.
  func passOn(reset code: HTTP2ErrorCode) -> Bool { false }

  func breakOff(as ending: PassedFailure.Ending) {
    switch (machine.note { $0.breakOff() }, ending) {
    case (.reset, _), (.end, .reset), (nil, .reset):
      link.resetAfterFlush()
      didClose()
    case (.end, .end), (nil, .end):
      break
    }
  }

  /// The exchange ends the connection where the server ended in order.
  func passOn(_ failure: PassedFailure) {
    _ = machine.note { $0.breakOff() }
    if link.passOn(failure) { didClose() }
  }

  func end(as ending: PassedFailure.Ending) {
    guard machine.receiver != nil else { return }
    switch ending {
    case .end:
      end(clientMaySend: false)
    case .reset:
      link.resetAfterFlush()
      didClose()
    }
  }

  // MARK: Streams of bytes

  func switchProtocols(_ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest) -> ResponseForwarding {
    _ = machine.note { $0.upgrade() }
    var forwarding = forwarding(to: request, framing: .none, persists: true)
    forwarding.forwardsUpgrade = true
    link.withOutput { forwarding.append(head, into: &$0) }
    return forwarding
  }

  func exchangeDidUpgrade() {
    // The client may be gone since the 101.
    guard let exchange = machine.receiver else { return }
    let early = machine.upgrade()
    engage(.tunnel)
    wait(shard.configuration.idleTimeout)
    if !early.isEmpty { exchange.relayFromClient(early.span, at: .now) }
    link.resumeReading()
  }

  func relay(_ bytes: Span<UInt8>) -> Demand {
    link.write(bytes)
    return link.isAboveHighWater ? .pause : .more
  }

  var outlet: Channel? {
    guard case .plain(let channel) = link, machine.passesAsItIs else { return nil }
    return channel
  }

  func endRelay() {
    _ = machine.note { $0.endOutput() }
    if client.omitsCloseNotify { link.omitCloseNotify() }
    link.shutdownOutput()
  }

  // MARK: The client's bytes

  func pauseReading() {
    link.pauseReading()
  }

  /// Even after the whole of a request: if the client leaves then, we notice the end of its connection.
  func resumeReading() {
    if !machine.holdsInput { link.resumeReading() }
    if machine.requestEnded == false, let exchange = machine.receiver { waitForClient(in: exchange) }
  }

  // MARK: Facts

  var bufferedBytes: Int { link.bufferedBytes }

  func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory? {
    link.tcpHistory(since: start, at: now)
  }

  func beginTCPHistory(at now: MonotonicInstant) -> TCPSample { link.beginTCPHistory(at: now) }

  var http2: ClientStreamDetails? { nil }

  func exchangeDidEnd() {
    switch machine.exchangeDidEnd(endsWithOrigin: client.endsWithOrigin) {
    case .proceed where !shard.isShuttingDown:
      engage(.none)
      link.endTCPHistories()
      proceed()
    case .proceed:
      engage(.none)
      end()
    case .end(let clientMaySend):
      engage(.none)
      end(clientMaySend: clientMaySend)
    case .nothing:
      break
    }
  }
}
