internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// One client's connection in HTTP/1: reads requests, one at a time and in order, and starts an exchange for each. Loop-bound.
///
/// A `ClientOpening` hands it over, and gets it back with a CONNECT. Its machine holds its state. `Client` decides what becomes
/// of a request. The connection carries that out, and is the client's end of the exchange (`+Exchange`).
final class ClientConnection: ClientConnectionEnding {
  let client: Client
  let shard: LoopShard
  let link: Link
  var machine = StateMachine<ForwardedExchange, GatheredAnswer>()
  private var http: HTTP1Connection
  private var patience = Patience()

  init(shard: LoopShard, link: Link, client: Client) {
    self.shard = shard
    self.client = client
    self.link = link
    http = HTTP1Connection(role: .server, limits: shard.configuration.limits)
    client.onOriginEvent = { [unowned self] event in
      switch event {
      case .lastDidEnd, .goesAway: originDidEnd()
      case .offersExtendedConnect: break
      }
    }
  }

  var id: UInt64 { client.id }

  var began: MonotonicInstant? { machine.began }

  /// The current exchange, as far as it has come; none while its request is not here.
  func exchangesInFlight(at instant: MonotonicInstant) -> [ExchangeRecord] {
    machine.exchange?.recordSoFar(at: instant).map { [$0] } ?? []
  }

  // MARK: Ending

  /// Shutdown has begun.
  func closeIfIdle() {
    if machine.awaitsFirstByte { close() }
  }

  /// Ends the current exchange, which is recorded.
  func abort() {
    lose(because: .gaveUp(.shutdown))
  }

  /// The client is gone, or we give it up: the current exchange is cancelled and recorded.
  func lose(because departure: Departure) {
    switch machine.lossAction {
    case .close:
      close()
    case .recordRequest:
      client.recordUnfinishedRequest(departure.failure(in: .request), began: machine.began)
      close()
    case .recordAnswer(let answer):
      answer.draft.record.failure = departure.failure(in: .request)
      shard.recordLocal(answer.draft, at: .now)
      close()
    case .tell(let exchange):
      let lacksContent = link.bufferedBytes > 0
      cutOff()
      exchange.clientDidLeave(departure, lacksContent: lacksContent)
    case .nothing:
      break
    }
  }

  /// The origin has ended a connection that carried no request: the client hears of it as it would have without us.
  func originDidEnd() {
    guard shard.pairsConnections, machine.awaitsFirstByte, !machine.holdsInput else { return }
    end()
  }

  /// Closes the connection amid a response. A client that still listens, such as one that has only ended its own side, cannot
  /// take what it has for the whole.
  private func cutOff() {
    switch machine.note({ $0.breakOff() }) {
    case .reset: link.reset()
    case .end, nil: return close()
    }
    didClose()
  }

  func didClose() {
    machine.close()
    wait(nil)
    client.leave()
    engage(.none)
    shard.connectionDidEnd(self)
  }

  func engage(_ engagement: Engagement, at instant: MonotonicInstant? = nil) {
    client.engage(engagement, at: instant)
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life; `nil`: it is not the client's turn.
  func wait(_ limit: Duration?) {
    patience.wait(limit) { Timer(loop: shard.loop) { [unowned self] in runOutOfPatience() } }
  }

  /// In an exchange it is the client's turn if it has not taken the bytes we have for it, or owes bytes of its body that we would
  /// take.
  func waitForClient(in exchange: ForwardedExchange) {
    let isClientsTurn = link.bufferedBytes > 0 || exchange.awaitsBody
    wait(isClientsTurn ? shard.configuration.idleTimeout : nil)
  }

  /// Bytes have passed, either way, on a connection that carries no messages: its time-out for silence starts again.
  private func noteLifeOfStream() {
    if let limit = shard.configuration.idleTimeout { wait(limit) }
  }

  private func runOutOfPatience() {
    switch machine.timeoutAction {
    case .close: close()
    case .refuseHead: refuseUnfinishedHead()
    case .askExchange(let exchange):
      if exchange.awaitsBody, exchange.canBeAnswered {
        _ = machine.note { $0.requestDidFail() }
        exchange.clientBroke(.clientTimedOut(in: .request, option: "--idle-timeout"), status: 408)
      } else {
        lose(because: .gaveUp(.clientTimedOut(in: .receive, option: "--idle-timeout")))
      }
    case .loseStream: lose(because: .gaveUp(.tooQuiet))
    case .loseRequest: lose(because: .gaveUp(.clientTimedOut(in: .request, option: "--header-timeout")))
    }
  }
}

// MARK: - What the link tells

extension ClientConnection: SecureChannelHandler {
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch machine.inputAction {
    case .parse:
      parse(bytes, at: instant, from: link.arrival.first)
    case .parseContent:
      parse(bytes, at: instant, from: link.arrival.first)
      if let exchange = machine.receiver { waitForClient(in: exchange) }
    case .hold:
      hold(bytes)
      if let exchange = machine.receiver { waitForClient(in: exchange) }
    case .relay(let exchange):
      noteLifeOfStream()
      exchange.relayFromClient(bytes, at: instant)
    case .nothing:
      break
    }
  }

  /// The client will send no more. Inside an exchange this is a hang-up.
  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    if link.inputIsTruncated { client.hasOmittedCloseNotify = true }
    switch machine.inputEndAction {
    case .tell(let exchange): exchange.clientDidEnd(omittingCloseNotify: client.hasOmittedCloseNotify)
    case .hangUp: hangUp(at: instant)
    }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    switch machine.outputAction {
    case .exchange(let exchange):
      waitForClient(in: exchange)
      exchange.didDeliver(at: instant)
    case .stream(let exchange):
      noteLifeOfStream()
      exchange.didDeliver(at: instant)
    case .nothing:
      break
    }
  }

  /// A wait that has begun goes on: nothing has passed.
  func channelIsBlocked() {
    if case .exchange(let exchange) = machine.outputAction, !patience.isWaiting { waitForClient(in: exchange) }
  }

  func channelDidDrain() {
    switch machine.outputAction {
    case .exchange(let exchange), .stream(let exchange): exchange.clientCanTakeMore()
    case .nothing: break
    }
  }

  func channelDidFail(_ error: TransportError) {
    hangUp(because: error)
  }

  /// The handshake ended before the connection got its link.
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    preconditionFailure("a link is handed over after its handshake")
  }
}

// MARK: - Requests

extension ClientConnection {
  /// - Parameter first: when the first of the bytes came, if that is known better.
  func parse(_ bytes: Span<UInt8>, at instant: MonotonicInstant, from first: MonotonicInstant? = nil) {
    var offset = 0
    do throws(HTTPParseError) {
      while let event = try http.receive(bytes, from: &offset) {
        // The kernel's clock tells when the last bytes came.
        let came = offset == bytes.count ? instant : link.arrival.within(upTo: instant)
        switch consume event {
        case .requestHead(let head):
          guard let tunnel = begin(head, from: machine.began ?? first, at: came) else { break }
          // A CONNECT has no content (RFC 9110 9.3.6).
          while let event = try http.receive(bytes, from: &offset) {
            if case .end = event { break }
          }
          return openTunnel(tunnel, holding: bytes.extracting(droppingFirst: offset))
        case .body(let range):
          machine.receiver?.receiveBody(bytes.extracting(range), at: instant)
        case .trailers(let trailers):
          machine.receiver?.receiveTrailers(trailers)
        case .end:
          hold(bytes.extracting(droppingFirst: offset))
          return endRequest(at: came)
        case .responseHead, .informational:
          preconditionFailure("a connection in the server role read a response")
        }
        guard machine.parses else { return }
      }
      // The empty line that some old clients send after a body (RFC 9112 2.2) does not begin a request.
      if machine.awaitsFirstByte, !http.isIdle {
        machine.requestDidBegin(at: first ?? instant)
        noteFirstByte(at: instant)
      }
    } catch {
      refuse(error, at: instant)
    }
  }

  /// The first byte of a request was read, and not its whole head.
  func requestDidBegin(at instant: MonotonicInstant) {
    machine.requestDidBegin(at: instant)
    noteFirstByte(at: instant)
  }

  private func noteFirstByte(at instant: MonotonicInstant) {
    engage(.exchange, at: instant)
    wait(shard.configuration.headerTimeout)
  }

  private struct AskedTunnel {
    let draft: RecordDraft
    let route: Route
  }

  /// Returns the tunnel that the request asks for.
  private func begin(_ head: RequestHead, from began: MonotonicInstant?, at instant: MonotonicInstant) -> AskedTunnel? {
    wait(nil)
    engage(.exchange, at: instant)
    let draft = client.record(of: head, began: began, at: instant)
    draft.record.marks.noteQueue(from: instant, to: link.arrival.read)
    switch client.decide(about: head, framing: http.framing, in: &draft.record) {
    case .forward(let request):
      forward(draft, request)
    case .openTunnel(let route):
      return AskedTunnel(draft: draft, route: route)
    case .answer(let reply):
      answer(draft, reply, persists: canGoOn(after: head))
    case .gatherMetrics:
      gatherMetrics(GatheredAnswer(draft: draft, persists: canGoOn(after: head)))
    case .visitLivePage:
      visitLivePage(head, draft)
    }
    return nil
  }

  /// Another object takes over the client and the link, and this one ends.
  private func openTunnel(_ tunnel: AskedTunnel, holding rest: Span<UInt8>) {
    machine.close()
    let opening = ClientOpening(shard: shard, link: link, client: client)
    link.report(to: opening)
    shard.replace(by: opening)
    opening.openTunnel(tunnel.draft, to: tunnel.route, holding: rest)
  }

  private func forward(_ draft: RecordDraft, _ request: OutgoingRequest) {
    let exchange = ForwardedExchange(client: self, shard: shard, draft: draft, request: request)
    machine.forward(exchange, HTTP1Exchange(persists: !shard.isShuttingDown, isLast: !http.mayPersist))
    exchange.begin()
    if http.framing != .none, machine.receiver != nil { waitForClient(in: exchange) }
  }

  private func endRequest(at instant: MonotonicInstant) {
    switch machine.requestDidEnd() {
    case .tell(let exchange): exchange.endRequest(at: instant)
    case .proceed: proceed()
    case .nothing: break
    }
  }

  /// Keeps bytes that came after the current request, and stops reading: a client that pipelines is answered in order.
  private func hold(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    machine.hold(bytes)
    link.pauseReading()
  }

  /// Looks at bytes that came after the last request, or reads on.
  func proceed() {
    wait(shard.configuration.idleTimeout)
    guard machine.holdsInput else { return link.resumeReading() }
    shard.loop.enqueueLocal { [self] in
      guard machine.awaitsRequest else { return }
      let pipelined = machine.takeInput()
      parse(pipelined.span, at: .now)
      // Unless another request waits after this one.
      if machine.awaitsRequest || machine.receiver != nil, !machine.holdsInput { link.resumeReading() }
    }
  }

  // MARK: Our own answers

  /// The client's bytes are not a request, or not its content.
  private func refuse(_ error: HTTPParseError, at instant: MonotonicInstant) {
    switch machine.requestDidFail() {
    case .answer: refuse(client.newRecord(nil, began: machine.began, at: instant), because: error)
    case .answerInstead(let answer): refuse(answer.draft, because: error)
    case .tell(let exchange): exchange.clientBroke(ExchangeRecord.Failure(error), status: error.status)
    case .close: close()
    }
  }

  private func refuse(_ draft: RecordDraft, because error: HTTPParseError) {
    draft.record.failure = ExchangeRecord.Failure(error)
    let reply = LocalReply(status: error.status, text: "tapeline: \(error.message)", proxyError: .requestError)
    answer(draft, reply, persists: false)
  }

  private func refuseUnfinishedHead() {
    let draft = client.newRecord(nil, began: machine.began, at: .now)
    draft.record.failure = .clientTimedOut(in: .request, option: "--header-timeout")
    let reply = LocalReply(status: 408, text: "tapeline: the request head did not arrive in time", proxyError: .requestError)
    answer(draft, reply, persists: false)
  }

  private func gatherMetrics(_ answer: GatheredAnswer) {
    machine.gather(answer)
    MetricsProbe(source: shard.metrics).gather(on: shard.loop) { [self] text in
      guard let wanted = machine.gathered else { return }
      let reply = LocalReply(page: Array(text.utf8), mediaType: PrometheusText.mediaType)
      self.answer(wanted.draft, reply, persists: wanted.persists)
      // The request has ended long ago: it had no content.
      endRequest(at: .now)
    }
  }

  /// The live page goes on with the connection. The visit is not recorded: it would be news for its own page.
  private func visitLivePage(_ head: RequestHead, _ draft: RecordDraft) {
    guard http.framing.length ?? 0 == 0, http.framing != .chunked, case .plain(let channel) = link else {
      return answer(
        draft, LocalReply(status: 413, text: "tapeline: requests to the live page have no content.", proxyError: nil),
        persists: false)
    }
    guard let door = shard.configuration.livePage, let socket = channel.handOver() else { return close() }
    door.receive(LocalVisit(head, on: socket))
    didClose()
  }

  /// Whether another request can come on the connection after this one was answered here: no part of this one is still to be
  /// read.
  private func canGoOn(after head: RequestHead) -> Bool {
    http.mayPersist && http.framing == .none && head.method != .connect && !shard.isShuttingDown
  }

  /// Answers a request for which no exchange was begun, and records it.
  private func answer(_ draft: RecordDraft, _ reply: LocalReply, persists: Bool) {
    let now = MonotonicInstant.now
    draft.record.noteAnswer(reply, at: now)
    let isHead = draft.record.request.map { $0.method == .head } ?? http.refusedHead
    machine.answer()
    link.send(
      reply, to: draft.record.request?.version ?? .http11, persists: persists, hasBody: !isHead, date: shard.date.text(at: now))
    shard.record(draft)
    engage(.none, at: now)
    if !persists { end() }
  }
}

/// A request whose answer is being gathered.
final class GatheredAnswer {
  let draft: RecordDraft
  /// Whether the connection can go on after the answer.
  let persists: Bool

  init(draft: RecordDraft, persists: Bool) {
    self.draft = draft
    self.persists = persists
  }
}

extension ExchangeRecord {
  /// Notes our own answer to a request for which no exchange was begun.
  mutating func noteAnswer(_ reply: LocalReply, at now: MonotonicInstant) {
    localStatus = reply.status
    marks.stamp(failure == nil ? .deliveredFirst : .failed, at: now)
    timeline = .local(from: started ?? now, to: now)
  }
}
