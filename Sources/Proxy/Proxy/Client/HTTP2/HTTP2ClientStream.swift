internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// One stream of a client's HTTP/2 connection: carries out what was decided about its request. Loop-bound.
///
/// It is the client's end of the stream's exchange or tunnel (`+Exchange`), and bounds what waits there in both directions:
/// content of the request goes back to the client's window when the exchange has taken it, and content of the response waits in
/// `content`.
final class HTTP2ClientStream {
  let id: HTTP2StreamID
  /// Holds its streams until they are done, and exchanges hold their stream.
  let connection: HTTP2ClientConnection
  /// `nil` if the head was beyond our limits: then we answer.
  let request: HTTP2RequestHead?
  let isHead: Bool
  var machine: StateMachine<HeldRequest, ForwardedExchange, ForwardedTunnel, GatheredAnswer>
  var details: ClientStreamDetails
  /// Content of the response that the client's windows have not let out yet.
  var content = WaitingBytes()
  var trailers: HTTP2HeaderList?
  /// Whether the producer of the content waits until there is room.
  var isFull = false
  /// Whether the exchange takes no content for now. What comes stays counted against the client's window.
  var isPaused = false
  /// Content of an extended CONNECT that came before the stream was open.
  var early: [UInt8] = []
  /// The end of this stream's last frames in the connection's output.
  private(set) var lastOutput: UInt64 = 0
  /// The end of its last content there.
  private var lastContent: UInt64 = 0
  /// Whether content went into an output whose end is not known yet.
  private var hasGivenContent = false
  /// Whether the codec has closed the stream.
  var isClosed = false
  /// Whether the client hears, once it has the response, that the rest of its request is not wanted.
  private var refusesRest = false
  private var patience = Patience()
  private var engagement = Engagement.none

  init(_ id: HTTP2StreamID, of connection: HTTP2ClientConnection, request: HTTP2RequestHead, endsStream: Bool) {
    self.id = id
    self.connection = connection
    self.request = request
    isHead = request.method == .head
    machine = StateMachine(requestEnded: false)
    details = ClientStreamDetails(id: id, request: request.list)
    framing = request.http1Framing(endsStream: endsStream)
  }

  /// A stream whose request is not read.
  init(oversized id: HTTP2StreamID, of connection: HTTP2ClientConnection, isHead: Bool, endsStream: Bool) {
    self.id = id
    self.connection = connection
    request = nil
    self.isHead = isHead
    machine = StateMachine(requestEnded: endsStream)
    details = ClientStreamDetails(id: id, request: nil)
    framing = .none
  }

  private let framing: BodyFraming

  /// From this much waiting content on, the producer stops.
  static let highWaterMark = 64 * 1024
  /// At this much it goes on.
  private static let lowWaterMark = 16 * 1024

  var shard: LoopShard { connection.shard }

  var isOver: Bool { machine.isOver }

  /// Whether nothing can happen on the stream any more.
  var isDone: Bool {
    guard isClosed else { return false }
    switch machine.work {
    case .rest, .nothing: return true
    case .request, .exchange, .upgraded, .tunnel, .answer: return false
    }
  }

  /// The exchange or tunnel, as far as it has come; `nil` without one.
  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? {
    switch machine.work {
    case .exchange(let exchange), .upgraded(let exchange): exchange.recordSoFar(at: instant)
    case .tunnel(let tunnel): tunnel.recordSoFar(at: instant)
    case .request, .answer, .rest, .nothing: nil
    }
  }

  // MARK: The request

  func begin(_ head: RequestHead, endsStream: Bool, at instant: MonotonicInstant) {
    engage(.exchange, at: instant)
    let draft = connection.client.record(of: head, began: nil, at: instant)
    draft.record.marks.noteQueue(from: instant, to: connection.link.arrival.read)
    if framing == .length(0), !endsStream {
      machine.hold(HeldRequest(head: head, draft: draft))
      waitForClient()
    } else {
      decide(about: head, draft, at: instant)
    }
  }

  /// The stream ends as the request's head has promised: with trailers, or with nothing.
  private func release(at instant: MonotonicInstant) {
    guard let held = machine.release() else { return }
    decide(about: held.head, held.draft, at: instant)
  }

  private func decide(about head: RequestHead, _ draft: RecordDraft, at instant: MonotonicInstant) {
    switch connection.client.decide(about: head, http2: request, framing: framing, in: &draft.record) {
    case .forward(let outgoing):
      let exchange = ForwardedExchange(client: self, shard: shard, draft: draft, request: outgoing)
      machine.forward(exchange)
      exchange.begin()
      // The rest of an extended CONNECT is not a message.
      if request?.protocol != nil { exchange.endRequest(at: instant) }
      waitForClient()
    case .openTunnel(let route):
      let tunnel = ForwardedTunnel(connection: self, shard: shard, draft: draft, target: route)
      machine.openTunnel(tunnel)
      isPaused = true
      tunnel.begin()
    case .answer(let reply):
      answer(draft, reply)
    case .gatherMetrics:
      gatherMetrics(GatheredAnswer(draft: draft, persists: true))
    case .visitLivePage:
      answer(
        draft,
        LocalReply(status: 505, text: "tapeline: the live page is there in HTTP/1.1 only.", proxyError: nil))
    }
  }

  func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch machine.contentAction {
    case .receive where request?.protocol != nil:
      early.append(bytes: bytes)
      return
    case .receive(let exchange):
      exchange.receiveBody(bytes, at: instant)
      waitForClient()
    case .relay(let exchange):
      noteLifeOfStream()
      exchange.relayFromClient(bytes, at: instant)
    case .relayInTunnel(let tunnel):
      noteLifeOfStream()
      tunnel.receiveFromClient(bytes, at: instant)
    case .drop:
      break
    }
    if !isPaused { connection.consume(on: id) }
  }

  func receive(_ trailers: HTTP2Trailers, at instant: MonotonicInstant) {
    release(at: instant)
    switch machine.contentAction {
    case .receive(let exchange): exchange.receiveTrailers(trailers.fields)
    // A stream of bytes has none.
    case .relay, .relayInTunnel, .drop: break
    }
  }

  func requestDidEnd(at instant: MonotonicInstant) {
    release(at: instant)
    switch machine.requestDidEnd() {
    case .receive(let exchange):
      exchange.endRequest(at: instant)
      waitForClient()
      if machine.responseEnded { connection.nudge() }
    case .relay(let exchange): exchange.clientDidEnd()
    case .relayInTunnel(let tunnel): tunnel.clientDidEnd()
    case .drop: break
    }
  }

  /// The client wants the response at another priority (RFC 9218 7).
  func clientDidReprioritize(_ fieldValue: String) {
    details.priorityUpdate = fieldValue
    switch machine.work {
    case .exchange(let exchange), .upgraded(let exchange): exchange.clientDidReprioritize(fieldValue)
    case .request, .tunnel, .answer, .rest, .nothing: break
    }
  }

  // MARK: Our own answers

  /// Answers a request whose head was beyond our limits (RFC 6585 5).
  func refuseHead(because failure: ExchangeRecord.Failure, at instant: MonotonicInstant) {
    engage(.exchange, at: instant)
    refuse(connection.client.newRecord(nil, began: nil, at: instant), because: failure, status: 431)
  }

  private func refuse(_ draft: RecordDraft, because failure: ExchangeRecord.Failure, status: Int) {
    draft.record.failure = failure
    answer(draft, LocalReply(status: status, text: "tapeline: \(failure.message)", proxyError: .requestError))
  }

  private func gatherMetrics(_ answer: GatheredAnswer) {
    machine.gather(answer)
    MetricsProbe(source: shard.metrics).gather(on: shard.loop) { [self] text in
      guard case .answer(let wanted) = machine.work else { return }
      self.answer(wanted.draft, LocalReply(page: Array(text.utf8), mediaType: PrometheusText.mediaType))
    }
  }

  /// Answers a request for which no exchange was begun, and records it.
  private func answer(_ draft: RecordDraft, _ reply: LocalReply) {
    // Before it is written: a request that has its answer is recorded already.
    guard machine.answer() else { return }
    let now = MonotonicInstant.now
    draft.record.noteAnswer(reply, at: now)
    draft.record.note(details)
    send(reply, hasContent: !isHead)
    shard.record(draft)
    engage(.none, at: now)
    waitForClient()
  }

  func send(_ reply: LocalReply, hasContent wantsContent: Bool) {
    let hasContent = wantsContent && !reply.body.isEmpty
    guard machine.beginResponse(hasContent: hasContent) else { return }
    var lines = [(":status", "\(reply.status)"), ("date", shard.date.text(at: .now))]
    lines += reply.headFields.map { ($0.name.lowercased(), $0.value) }
    connection.submitResponse(HTTP2HeaderList(lines), on: id, hasContent: hasContent)
    guard hasContent else { return }
    content.append(reply.body.span)
    _ = machine.endResponse()
    connection.resume(id)
  }

  // MARK: Output

  /// The codec's pull. Nobody may use the connection meanwhile.
  func takeContent(limit: Int) -> HTTP2Content {
    if let piece = content.take(atMost: limit) {
      hasGivenContent = true
      return .bytes(piece, isLast: content.isEmpty && trailers == nil && machine.owesFrames)
    }
    guard machine.owesFrames else { return .later }
    return trailers.take().map { .trailers($0) } ?? .end
  }

  /// Frames of the stream went into the output, which ends at `offset`.
  func noteOutput(upTo offset: UInt64) {
    lastOutput = offset
    if hasGivenContent { lastContent = offset }
    hasGivenContent = false
  }

  /// Content has gone into the output.
  func outputDidMove() {
    guard isFull, content.count <= Self.lowWaterMark else { return }
    isFull = false
    switch machine.work {
    case .exchange(let exchange), .upgraded(let exchange): exchange.clientCanTakeMore()
    case .tunnel(let tunnel): tunnel.clientCanTakeMore()
    case .request, .answer, .rest, .nothing: break
    }
  }

  /// The stream had output, and the turn is over. What a closed window or the kernel holds back, the client must take; a wait for
  /// it that has begun goes on.
  func outputWasDue(isBlocked: Bool) {
    guard isBlocked || !content.isEmpty, !patience.isWaiting, clientMustTake else { return }
    waitForClient()
  }

  /// Whether the client is given up if it takes nothing. Of a tunnel it takes what it likes.
  private var clientMustTake: Bool {
    switch machine.work {
    case .request, .exchange, .answer, .rest, .nothing: true
    case .upgraded, .tunnel: false
    }
  }

  /// Our last frame is in the output.
  func responseDidLeave() {
    if machine.responseDidLeave() { refuseRest() }
  }

  /// A server that wants no more of the request says so after its response (RFC 9113 8.1): in a write of its own, for a client
  /// that reads both at once may lose the response (curl 7.88 fails with 92).
  func refuseRest() {
    refusesRest = !connection.hasDelivered(lastOutput)
    if !refusesRest { connection.reset(id, .noError) }
  }

  /// The kernel has taken bytes of the stream.
  func didDeliver(at instant: MonotonicInstant) {
    if refusesRest, !isClosed { refuseRest() }
    if clientMustTake { waitForClient() } else { noteLifeOfStream() }
    switch machine.work {
    case .exchange(let exchange), .upgraded(let exchange): exchange.didDeliver(at: instant)
    case .tunnel(let tunnel): tunnel.didDeliver(at: instant)
    case .request, .answer, .rest, .nothing: break
    }
  }

  // MARK: The end

  /// The client wants no more of the exchange.
  func clientDidReset(_ code: HTTP2ErrorCode) {
    end(as: StreamMetrics.Reset(code: code, who: .client), .reset(code))
  }

  func connectionDidEnd(_ departure: Departure) {
    end(as: nil, departure)
  }

  /// We give up the exchange, not the connection.
  func lose(because departure: Departure) {
    guard !machine.isOver else { return }
    connection.reset(id, .cancel)
    end(as: StreamMetrics.Reset(code: .cancel, who: .local), departure)
  }

  /// The stream is over for the client; its exchange or tunnel is told and recorded.
  func end(as reset: StreamMetrics.Reset?, _ departure: Departure) {
    guard !machine.isOver else { return }
    details.reset = reset
    let work = machine.lose()
    let lacksContent = !content.isEmpty || !connection.hasDelivered(lastContent)
    forget()
    switch work {
    case .exchange(let exchange), .upgraded(let exchange): exchange.clientDidLeave(departure, lacksContent: lacksContent)
    case .tunnel(let tunnel): tunnel.clientDidLeave(departure)
    case .request(let held): recordLost(held.draft, departure)
    case .answer(let answer): recordLost(answer.draft, departure)
    case .rest, .nothing: break
    }
    connection.removeIfDone(id)
  }

  private func recordLost(_ draft: RecordDraft, _ departure: Departure) {
    draft.record.failure = departure.failure(in: .request)
    draft.record.note(details)
    shard.recordLocal(draft, at: .now)
  }

  /// Nothing more goes to the client.
  func forget() {
    content = WaitingBytes()
    trailers = nil
    early = []
    wait(nil)
    engage(.none)
  }

  func engage(_ new: Engagement, at instant: MonotonicInstant? = nil) {
    guard new != engagement else { return }
    shard.activity.move(from: engagement, to: new, at: instant ?? .now)
    engagement = new
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life on the stream; `nil`: it is not the client's turn.
  func wait(_ limit: Duration?) {
    patience.wait(limit) { Timer(loop: shard.loop) { [unowned self] in runOutOfPatience() } }
  }

  /// As `ClientConnection.waitForClient`, for one stream: windows that the client does not open are its turn too.
  func waitForClient() {
    let owesBody =
      switch machine.work {
      case .request: true
      case .exchange(let exchange): exchange.awaitsBody
      case .upgraded, .tunnel, .answer, .rest, .nothing: false
      }
    wait(bufferedBytes > 0 || owesBody ? shard.configuration.idleTimeout : nil)
  }

  func noteLifeOfStream() {
    if let limit = shard.configuration.idleTimeout { wait(limit) }
  }

  private func runOutOfPatience() {
    switch machine.work {
    case .request(let held):
      refuse(held.draft, because: .clientTimedOut(in: .request, option: "--idle-timeout"), status: 408)
    case .exchange(let exchange):
      if exchange.awaitsBody, exchange.canBeAnswered {
        exchange.clientBroke(.clientTimedOut(in: .request, option: "--idle-timeout"), status: 408)
      } else {
        lose(because: .gaveUp(.clientTimedOut(in: .receive, option: "--idle-timeout")))
      }
    case .tunnel(let tunnel): tunnel.runOutOfPatience()
    case .upgraded: lose(because: .gaveUp(.tooQuiet))
    case .answer, .rest: lose(because: .gaveUp(.clientTimedOut(in: .receive, option: "--idle-timeout")))
    case .nothing: break
    }
  }
}

/// A request that nobody else may see before its end is here.
final class HeldRequest {
  let head: RequestHead
  let draft: RecordDraft

  init(head: RequestHead, draft: RecordDraft) {
    self.head = head
    self.draft = draft
  }
}
