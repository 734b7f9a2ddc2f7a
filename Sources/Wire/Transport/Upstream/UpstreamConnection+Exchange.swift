internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineBase
internal import TapelineTime

/// One exchange on the connection: the connection pulls the request and reports the response as events.
extension UpstreamConnection {
  func begin(_ asked: OutgoingRequest, of task: SessionTask, hasWaited: Bool) {
    guard let link else { preconditionFailure("an exchange begins on a connection that stands") }
    let request = asked.framing == .chunked ? withLengthIfDue(asked, of: task) : asked
    // An extended CONNECT goes out as an upgrade.
    http.expectResponse(to: request.isExtendedConnect ? .get : request.head.method)
    let hop = nextHop(for: request)
    machine.begin(
      UpstreamExchange(
        hasWaited: hasWaited, isReplayable: request.isReplayable, isPaired: request.connections != nil,
        isAuthorized: hop.isAuthorized, bodyLength: request.framing.length ?? 0))
    link.withOutput { output in
      let start = output.count
      switch request.sender {
      case .client:
        var forwarding = forwarding(of: request, to: hop)
        forwarding.append(request.head, into: &output)
        task.metrics.forwarding = consume forwarding
      case .ourselves:
        OriginatedRequest.append(
          head: request.head, framing: request.framing, to: hop, authority: request.route.authority,
          upgrade: request.allowsUpgrade ? "websocket" : nil, into: &output)
      }
      task.metrics.bytes.requestHead = UInt64(output.count - start)
    }
    switch request.framing {
    case .none, .length(0):
      endRequest()
    case .length, .chunked:
      pumpBody()
    case .untilClose:
      preconditionFailure("a request body is never delimited by close (RFC 9112 6.3)")
    }
  }

  /// How a client's request is forwarded.
  private func forwarding(of request: OutgoingRequest, to hop: NextHop) -> RequestForwarding {
    var forwarding = RequestForwarding(framing: request.framing)
    forwarding.hop = hop
    forwarding.host = request.host
    forwarding.forwardsUpgrade = request.allowsUpgrade
    if let name = request.http2?.protocol { forwarding.upgrade = .init(to: name, key: webSocketKey()) }
    forwarding.isPaired = request.connections != nil
    if hop != .origin || transport.configuration.namesItself { forwarding.pseudonym = transport.configuration.pseudonym }
    if hop != .origin || !request.head.fields.contains(.host) { forwarding.authority = request.route.authority }
    return forwarding
  }

  /// A nonce for an upgrade that the client did not ask for in these words (RFC 6455 4.1).
  private func webSocketKey() -> String {
    Base64.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// The request with a length instead of chunks, if nothing is known of the server yet and all of the content is here already:
  /// any server understands a length. Content that is still to come is sent in chunks, as its sender chose.
  private func withLengthIfDue(_ request: OutgoingRequest, of task: SessionTask) -> OutgoingRequest {
    if let version = peerVersion ?? transport.versions[route], version >= .http11 { return request }
    _ = task.gatherBody(atMost: transport.configuration.limits.heldContent, keepsTrailers: true)
    guard case .exchange(let settled) = task.work else { preconditionFailure("only an exchange has a body") }
    return settled
  }

  /// Moves the task's body to the connection until the task has no more for now or enough is queued.
  func pumpBody() {
    guard let task, let link, machine.activeExchange?.requestEnded == false else { return }
    while !link.isAboveHighWater {
      switch sendPiece(of: task, to: link) {
      case .sent: continue
      case .later: return
      case .ended: return endRequest()
      case .tooShort(let missing): return fail(.shortBody(missing: missing))
      }
    }
    wait(idleTimeout)
  }

  /// The last piece of a body with a length waits for the end of its source, and chunks are framed: those are asked for.
  func sendBody(_ bytes: Span<UInt8>) -> Bool {
    guard let task, let link, !link.isAboveHighWater, let exchange = machine.activeExchange, !exchange.requestEnded,
      UInt64(bytes.count) < exchange.bodyRemaining
    else { return false }
    task.metrics.bytes.requestBody += UInt64(bytes.count)
    machine.note { $0.sendBody(bytes.count) }
    link.write(bytes)
    task.didSendBody(bytes.count)
    if link.isAboveHighWater { wait(idleTimeout) }
    return true
  }

  private enum BodyProgress {
    case sent
    case later
    case ended
    case tooShort(missing: UInt64)
  }

  /// Hands the next piece of the task's body to the connection.
  private func sendPiece(of task: SessionTask, to link: Link) -> BodyProgress {
    guard case .exchange(let request) = task.work else { preconditionFailure("only an exchange has a body") }
    switch task.nextBodyChunk(limit: 64 * 1024) {
    case .bytes(let piece):
      if request.framing == .chunked || !machine.holdIfLast(piece) { write(piece, of: task, framing: request.framing, to: link) }
      return .sent
    case .later:
      return .later
    case .end where request.framing == .chunked:
      let trailers = task.trailers
      let removed = trailers.map { _ in HopByHopFields(of: request.head.fields) }
      link.withOutput { ChunkedEncoder.appendLastChunk(trailers: trailers, without: removed, into: &$0) }
      return .ended
    case .end:
      if let last = machine.takeLastPiece() { write(last, of: task, framing: request.framing, to: link) }
      guard let missing = machine.activeExchange?.bodyRemaining, missing > 0 else { return .ended }
      return .tooShort(missing: missing)
    }
  }

  private func write(_ chunk: [UInt8], of task: SessionTask, framing: BodyFraming, to link: Link) {
    task.metrics.bytes.requestBody += UInt64(chunk.count)
    defer { task.didSendBody(chunk.count) }
    switch framing {
    case .chunked:
      link.withOutput { ChunkedEncoder.appendChunkHeader(size: chunk.count, into: &$0) }
      link.write(chunk)
      link.withOutput { ChunkedEncoder.appendChunkEnd(into: &$0) }
    case .none, .length, .untilClose:
      machine.note { $0.sendBody(chunk.count) }
      link.write(chunk)
    }
  }

  private func endRequest() {
    machine.note { $0.endRequest() }
    if machine.exchange?.responseEnded == true { endIfSent() } else { wait(responseTimeout) }
  }

  func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task, let link else { return }
    task.metrics.bytesReceived += UInt64(bytes.count)
    if machine.exchange?.headBegan == nil { noteFirstByte(of: task, link.arrival) }
    task.metrics.marks.move(.responseLastByte, to: instant)
    read(bytes, of: task, from: link, at: instant)
  }

  /// The first byte of a head came: of the response's, or of an interim one.
  private func noteFirstByte(of task: SessionTask, _ arrival: Arrival) {
    machine.note { $0.beginResponse(at: arrival.first) }
    task.metrics.answerDidBegin(at: arrival.first, readAt: arrival.read)
  }

  /// Reads bytes of the response, whether just received or held.
  func read(_ bytes: Span<UInt8>, of task: SessionTask, from link: Link, at instant: MonotonicInstant) {
    var demand = Demand.more
    var offset = 0
    do throws(HTTPParseError) {
      while let event = try http.receive(bytes, from: &offset) {
        switch consume event {
        case .requestHead:
          preconditionFailure("a connection in the client role read a request")
        case .informational(let head):
          machine.note { $0.endInformationalHead(next: offset < bytes.count ? link.arrival.within(upTo: instant) : nil) }
          task.metrics.bytes.responseHead += UInt64(head.size)
          if head.version != peerVersion { note(head.version) }
          // The server is at work (RFC 9110 15.2): it has the full time again for the next head.
          if machine.activeExchange?.requestEnded == true { wait(responseTimeout, from: link.arrival.read) }
          task.didReceiveInformational(head)
        case .responseHead(let head):
          guard head.status != 101 || allowsUpgrade else { return fail(.unsolicitedUpgrade) }
          if head.version != peerVersion { note(head.version) }
          machine.note { $0.endHead() }
          task.metrics.marks.stamp(.responseFirstByte, at: machine.exchange?.headBegan ?? instant)
          // The kernel's clock tells when the last bytes came.
          let headEnd = offset == bytes.count ? instant : link.arrival.within(upTo: instant)
          task.metrics.marks.stamp(.responseHeadEnd, at: headEnd)
          task.metrics.bytes.responseHead += UInt64(head.size)
          task.metrics.status = head.status
          task.responseFraming = http.framing
          task.connectionPersists = http.mayPersist
          if head.status == 407, route.isForwarding {
            if answersProxyChallenge(head, of: task) {
              return hold(head, bytes.extracting(droppingFirst: offset), at: instant)
            }
            if isForClient(task) { return failForWantOfCredentials(head, of: task) }
          }
          switch task.didReceive(head) {
          case .proceed: break
          case .cancel: return task.cancel()
          case .later: return hold(head, bytes.extracting(droppingFirst: offset), at: instant)
          }
          if head.status == 101 {
            return becomeStream(of: task, early: bytes.extracting(droppingFirst: offset), at: instant)
          }
        case .body(let range):
          task.metrics.bytes.responseBody += UInt64(range.count)
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
      let failure = TransportError.malformedResponse(error)
      return passesUnread(task, because: failure, at: instant) ? () : fail(failure)
    }
    follow(demand, on: link)
    if let left = http.contentLeft { forwardMore(of: task, on: link, after: bytes.count, atMost: left - 1) }
  }

  /// We do not read this response, but the task's receiver may: then the bytes go on as they come. Answers whether they do.
  private func passesUnread(_ task: SessionTask, because error: TransportError, at instant: MonotonicInstant) -> Bool {
    guard let exchange = machine.activeExchange, exchange.requestEnded, !exchange.headEnded, task.passesUnread(error) else {
      return false
    }
    let early = http.unreadHead
    becomeStream(of: task, early: early.span, at: instant)
    return true
  }

  private func follow(_ demand: Demand, on link: Link) {
    switch demand {
    case .more:
      // A head that drips has no more time than a head that comes at once.
      if let exchange = machine.activeExchange, !exchange.awaitsResponse {
        wait(exchange.requestEnded || link.bufferedBytes > 0 ? idleTimeout : nil, from: link.arrival.read)
      }
    case .pause:
      wait(nil)
      link.pauseReading()
    }
  }

  // MARK: Past this program

  /// So many bytes at once are the beginning of more.
  private static let largeRead = 64 * 1024

  /// Many bytes have come. What follows goes straight to where the task sends it, if nobody needs to see it. The last byte of
  /// content with a length is always read, and the end of the message with it.
  func forwardMore(of task: SessionTask, on link: Link, after count: Int, atMost limit: UInt64?) {
    guard count >= Self.largeRead, case .plain(let channel) = link, !channel.isForwarding, let outlet = task.outlet else {
      return
    }
    channel.forward(to: outlet, atMost: limit)
  }

  func channelDidForward(_ count: Int, at instant: MonotonicInstant) {
    guard let task, let link else { return }
    task.metrics.bytesReceived += UInt64(count)
    switch machine.inputAction {
    case .exchange:
      task.metrics.marks.move(.responseLastByte, to: instant)
      http.skipContent(count)
      task.metrics.bytes.responseBody += UInt64(count)
      let demand = task.didForward(count, at: instant)
      guard self.task === task else { return }
      follow(demand, on: link)
    case .stream:
      task.metrics.marks.move(.responseLastByte, to: instant)
      if task.didForward(count, at: instant) == .pause { link.pauseReading() }
    case .hold, .drain, .noteExcess, .leaveStore:
      preconditionFailure("a connection forwarded what is not content")
    }
  }

  private func note(_ version: HTTPVersion) {
    peerVersion = version
    transport.versions.note(version, of: route)
  }

  /// Whether a 101 answers what was asked (RFC 9110 15.2.2).
  private var allowsUpgrade: Bool {
    guard let task, case .exchange(let request) = task.work else { return false }
    return request.allowsUpgrade && machine.activeExchange?.requestEnded == true
  }

  /// The response ended at its framing (or at the close, where that is its framing).
  private func endResponse(mayPersist: Bool) {
    guard let task else { return }
    machine.note { $0.endResponse(isLast: !mayPersist) }
    if continuesRequest(of: task) { return letRequestGoOn(of: task) }
    leave(task)
    task.complete(with: nil)
  }

  /// Whether the rest of a request goes out after its answer: a client decides for itself whether it goes on, as it would without
  /// us. The process's own requests end with their answers.
  private func continuesRequest(of task: SessionTask) -> Bool {
    guard case .exchange(let request) = task.work, request.sender == .client else { return false }
    return machine.exchange?.isAnsweredEarly ?? false
  }

  /// The origin has answered before all of the request went out. Who ends the connection, and when, is for the two ends to say
  /// (RFC 9112 9.3).
  private func letRequestGoOn(of task: SessionTask) {
    wait(nil)
    task.didEndResponse()
    guard self.task === task else { return }
    link?.resumeReading()
    if machine.inputEnded { task.didReceiveEnd() }
    guard self.task === task else { return }
    pumpBody()
  }

  /// The kernel has taken bytes, or the request has ended: the exchange is over once all of a request that was answered early is
  /// on its way.
  func endIfSent() {
    guard let task, let link, let exchange = machine.activeExchange, exchange.requestEnded, exchange.responseEnded,
      link.bufferedBytes == 0
    else { return }
    leave(task)
    task.complete(with: nil)
  }

  /// The exchange is over. The connection idles if it can carry another exchange, and closes otherwise.
  func leave(_ task: SessionTask) {
    wait(nil)
    measure()
    self.task = nil
    let isClean = machine.exchange?.leavesConnectionClean ?? false
    if let link, let store, isClean, http.mayPersist, !machine.inputEnded,
      link.bufferedBytes == 0 || store.takesUnsentOutput
    {
      machine.idle()
      forgetExchange()
      link.endTCPHistories()
      link.resumeReading()
      store.put(self, at: .now)
    } else {
      close()
    }
  }

  /// A client judges for itself whether a bare FIN may end content: its connection ends in the same way.
  private var isForClient: Bool { task.map(isForClient) ?? false }

  /// The origin closed: the end of a response that is delimited by the close, or a failure.
  func endExchangeAtClose() {
    do throws(HTTPParseError) {
      switch try http.receiveEnd() {
      case .end where link?.inputIsTruncated == true && !isForClient:
        fail(.cutOffResponse)
      case .end:
        endResponse(mayPersist: false)
      case nil, .informational, .requestHead, .responseHead, .body, .trailers:
        fail(.closedEarly(in: reached, by: peer))
      }
    } catch {
      let hasBegun = machine.exchange?.responseBegan ?? false
      fail(hasBegun ? .truncatedResponse(error) : .closedEarly(in: reached, by: peer))
    }
  }
}
