internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTime
internal import TapelineTransport

/// The client's end of an exchange, in HTTP/2: header lists, content within windows, resets.
extension HTTP2ClientStream: ClientExchange {
  func sendContinue() {
    guard machine.isUntold else { return }
    connection.submitInterim(HTTP2HeaderList([(":status", "100")]), on: id)
  }

  var tunnel: InterceptedTunnel? { connection.client.tunnel }

  func sendInformational(_ head: ResponseHead, to request: OutgoingRequest) {
    guard machine.isUntold else { return }
    connection.submitInterim(list(of: head, as: forwarding(to: request, framing: .none)), on: id)
  }

  func sendHead(
    _ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest, content received: BodyFraming?,
    originPersists: Bool, at instant: MonotonicInstant
  ) -> ResponseForwarding {
    let hasContent = Self.hasContent(head, received ?? .none)
    // Trailers find room wherever there is content.
    var forwarding = forwarding(to: request, framing: hasContent ? .chunked : .none)
    forwarding.date = shard.date.text(at: instant)
    if machine.beginResponse(hasContent: hasContent) {
      connection.submitResponse(list(of: head, as: forwarding, http2), on: id, hasContent: hasContent)
    }
    return forwarding
  }

  /// Whether frames follow the head. A response that ends with its head ends so for the client: some know by that that no
  /// trailers come.
  private static func hasContent(_ head: ResponseHead, _ received: BodyFraming) -> Bool {
    switch received {
    case .none: false
    case .length(0): head.version >= .http2 && head.fields.contains(.contentLength)
    case .length, .chunked, .untilClose: true
    }
  }

  private func list(
    of head: ResponseHead, as forwarding: ResponseForwarding, _ http2: HTTP2ResponseHead? = nil
  ) -> HTTP2HeaderList {
    let whole = http2?.list ?? HTTP2HeaderList(head)
    let list = forwarding.stripsAlternatives ? whole.without("alt-svc") : whole
    return list.appending(forwarding.addedFields(to: head).map { ($0.0.spelling.lowercased(), $0.1) })
  }

  private func forwarding(to request: OutgoingRequest, framing: BodyFraming) -> ResponseForwarding {
    var forwarding = ResponseForwarding(to: request.head.method, of: .http2, framing: framing, persists: true)
    forwarding.isPaired = request.connections != nil
    forwarding.stripsAlternatives = shard.configuration.stripsAlternatives
    if shard.configuration.namesItself { forwarding.pseudonym = shard.configuration.pseudonym }
    return forwarding
  }

  func sendBody(_ bytes: Span<UInt8>) -> Demand {
    guard machine.takesContent else { return .more }
    content.append(bytes)
    connection.resume(id)
    // Until it has fallen to the low-water mark, although less than the high-water mark may wait meanwhile.
    isFull = isFull || content.count > Self.highWaterMark
    return isFull ? .pause : .more
  }

  func endResponse(trailers: HeaderFields?, without removed: HopByHopFields?) {
    guard machine.endResponse() else { return }
    if let trailers {
      var kept = HeaderFields()
      for index in trailers.indices where removed?.removesTrailer(trailers, at: index) != true {
        kept.append(trailers, at: index)
      }
      let list = HTTP2HeaderList(trailers: kept)
      if list.count > 0 { self.trailers = list }
    }
    connection.resume(id)
  }

  func answer(_ reply: LocalReply, to head: RequestHead?) {
    send(reply, hasContent: !isHead)
  }

  func passOn(reset code: HTTP2ErrorCode) -> Bool {
    breakOff(code, who: .origin)
    return true
  }

  func breakOff(as ending: PassedFailure.Ending) {
    breakOff(.internalError, who: .local)
  }

  /// The connection has other streams: `exchangeDidEnd` ends this one.
  func end(as ending: PassedFailure.Ending) {}

  private func breakOff(_ code: HTTP2ErrorCode, who: StreamMetrics.Who) {
    guard !machine.isOver else { return }
    details.reset = StreamMetrics.Reset(code: code, who: who)
    connection.reset(id, code)
    _ = machine.lose()
    forget()
  }

  /// Other streams go on.
  func passOn(_ failure: PassedFailure) {
    switch failure.meaning {
    // The code by which clients know that they may try again (RFC 9113 8.7).
    case .endOfKeptConnection: breakOff(.refusedStream, who: .local)
    case .endOfNewConnection, .end: breakOff(request?.method == .connect ? .connectError : .internalError, who: .local)
    }
  }

  // MARK: Streams of bytes

  func switchProtocols(_ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest) -> ResponseForwarding {
    var forwarding = forwarding(to: request, framing: .none)
    forwarding.date = shard.date.text(at: .now)
    if machine.beginResponse(hasContent: true) {
      // An origin that speaks HTTP/2 has sent the 200 that stands for the 101.
      let list = http2?.list ?? HTTP2HeaderList(upgraded: head)
      connection.submitResponse(list, on: id, hasContent: true)
    }
    return forwarding
  }

  func exchangeDidUpgrade() {
    guard case .exchange(let exchange) = machine.work else { return }
    machine.upgrade()
    engage(.tunnel)
    wait(shard.configuration.idleTimeout)
    let bytes = early
    early = []
    if !bytes.isEmpty { exchange.relayFromClient(bytes.span, at: .now) }
    if machine.requestEnded { exchange.clientDidEnd() }
    resumeReading()
  }

  func relay(_ bytes: Span<UInt8>) -> Demand {
    sendBody(bytes)
  }

  func endRelay() {
    endResponse(trailers: nil, without: nil)
  }

  // MARK: The client's bytes

  func pauseReading() {
    isPaused = true
  }

  func resumeReading() {
    isPaused = false
    connection.consume(on: id)
    if case .exchange = machine.work { waitForClient() }
  }

  // MARK: Facts

  /// A frame that is still to be made counts as a byte, and so do frames that the kernel has not taken.
  var bufferedBytes: Int {
    guard !machine.isOver else { return 0 }
    return content.count + (machine.owesFrames ? 1 : 0) + (connection.hasDelivered(lastOutput) ? 0 : 1)
  }

  func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory? {
    connection.link.tcpHistory(since: start, at: now)
  }

  func beginTCPHistory(at now: MonotonicInstant) -> TCPSample { connection.link.beginTCPHistory(at: now) }

  var http2: ClientStreamDetails? { details }

  func exchangeDidEnd() {
    switch machine.exchangeDidEnd() {
    case .breakOff:
      // The relayed connection has failed (RFC 9113 8.5), or the exchange has.
      connection.reset(id, request?.method == .connect ? .connectError : .internalError)
      forget()
    case .endRequest: refuseRest()
    case .finish, .nothing: break
    }
    engage(.none)
    waitForClient()
    connection.removeIfDone(id)
  }
}

extension HTTP2ClientStream: TunnelClient {
  /// Other streams are beside it.
  var interceptable: ClientOpening? { nil }

  func originWasReached() -> Bool { true }

  func tunnelDidOpen() -> [UInt8] {
    if machine.beginResponse(hasContent: true) {
      connection.submitResponse(HTTP2HeaderList([(":status", "\(HTTPStatus.tunnelEstablished)")]), on: id, hasContent: true)
    }
    return []
  }

  func tunnelDidFail(_ error: TransportError, head: RequestHead?) {
    answer(LocalReply(error, status: shard.configuration.status(of: error)), to: head)
  }
}
