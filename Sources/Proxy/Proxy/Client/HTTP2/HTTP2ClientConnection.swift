internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// A client's connection that speaks HTTP/2: a stream for each request, each with an exchange or a tunnel of its own. Loop-bound.
///
/// It takes over the client and the link of a `ClientConnection` when the client has agreed on HTTP/2, or begins with its
/// preface. Frames are made at the end of a turn, in `pump`, and at no other time: a stream that has something to send asks for
/// it (`requestPump`). So the codec's events never come out inside a call of an exchange.
final class HTTP2ClientConnection {
  let client: Client
  let shard: LoopShard
  let link: Link
  private var machine = StateMachine()
  private var http: HTTP2Connection
  private var streams = StreamTable<HTTP2ClientStream>()
  private var ledger: OutputLedger
  /// The streams whose content went into the last output.
  private var pulled: [HTTP2StreamID] = []
  /// The streams that got output in this turn.
  private var supplied: [HTTP2StreamID] = []
  private var isPumpDue = false
  private var patience = Patience()
  /// The client's bytes that came while our settings wait for the origin's: no request.
  private var held: [UInt8]?

  /// Bytes of frames that are made at once: a compromise between calls and exact times of delivery.
  private static let stride = 32 * 1024

  /// - Parameter unreported: bytes of the link's output that were not reported as written yet.
  init(client: Client, link: Link, shard: LoopShard, unreported: Int) {
    self.client = client
    self.link = link
    self.shard = shard
    http = HTTP2Connection(role: .server, limits: HTTP2Limits(shard.configuration.limits))
    ledger = OutputLedger(earlier: unreported)
    link.expectInterleavedInput()
    client.onOriginEvent = { [unowned self] event in
      switch event {
      case .lastDidEnd, .goesAway:
        beginShutdown()
      case .offersExtendedConnect:
        http.offerExtendedConnect()
        requestPump()
      }
    }
  }

  /// Goes on with the bytes that have been read already, up to `instant`.
  func begin(with greeting: [UInt8], at instant: MonotonicInstant) {
    wait(shard.configuration.headerTimeout)
    link.resumeReading()
    if awaitSettings() {
      hold(greeting.span, at: instant)
    } else {
      start(with: greeting, at: instant, offersExtendedConnect: client.tunnel?.offersExtendedConnect ?? false)
    }
    if client.tunnel?.hasLostOrigin == true { beginShutdown() }
  }

  // MARK: The first settings

  /// A client that knows nothing of its server opens no WebSocket: it waits for our settings, which have to say what the origin's
  /// say. A client that has a request does not wait, and neither do we then.
  private func awaitSettings() -> Bool {
    guard client.connections != nil else { return false }
    // Strong: the tunnel keeps this for a moment only, and what has ever been held weakly is slow to retain.
    let awaits = client.tunnel?.awaitSettings { offers in self.goOn(at: .now, offersExtendedConnect: offers) }
    if awaits == true { held = [] }
    return held != nil
  }

  private func hold(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    held?.append(bytes: bytes)
    if held.map({ HTTP2Preface.isFollowedByRequest($0.span) }) == true { goOn(at: instant, offersExtendedConnect: false) }
  }

  private func goOn(at instant: MonotonicInstant, offersExtendedConnect: Bool) {
    guard machine.isOpen, let greeting = held.take() else { return }
    start(with: greeting, at: instant, offersExtendedConnect: offersExtendedConnect)
  }

  private func start(with greeting: [UInt8], at instant: MonotonicInstant, offersExtendedConnect offers: Bool) {
    if offers {
      http = HTTP2Connection(role: .server, limits: HTTP2Limits(shard.configuration.limits), offersExtendedConnect: true)
    }
    requestPump()
    if !greeting.isEmpty { receive(greeting.span, at: instant) }
  }

  // MARK: What its streams ask for

  func consume(on stream: HTTP2StreamID) {
    let count = http.unconsumed(on: stream)
    guard count > 0 else { return }
    http.consume(count, on: stream)
    requestPump()
  }

  /// A client has ended its request after its response. curl 7.88 takes note of that only when something comes.
  func nudge() {
    http.nudge()
    requestPump()
  }

  func submitInterim(_ list: HTTP2HeaderList, on stream: HTTP2StreamID) {
    http.submitInterim(list, on: stream)
    requestPump(for: stream)
  }

  func submitResponse(_ list: HTTP2HeaderList, on stream: HTTP2StreamID, hasContent: Bool) {
    http.submitResponse(list, on: stream, hasContent: hasContent)
    requestPump(for: stream)
  }

  /// A stream has content, or its end, that was not there before.
  func resume(_ stream: HTTP2StreamID) {
    http.resume(stream)
    requestPump(for: stream)
  }

  func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    http.reset(stream, code)
    requestPump()
  }

  /// Whether the kernel has all bytes up to `offset` of the output.
  func hasDelivered(_ offset: UInt64) -> Bool { ledger.delivered >= offset }

  // MARK: Output

  /// Has frames made when this turn's handlers have returned.
  private func requestPump() {
    guard !isPumpDue, machine.isOpen, held == nil else { return }
    isPumpDue = true
    shard.loop.enqueueLocal(self)
  }

  private func requestPump(for stream: HTTP2StreamID) {
    if supplied.last != stream { supplied.append(stream) }
    requestPump()
  }

  private func pump() {
    while machine.isOpen, http.wantsOutput, !link.isAboveHighWater {
      var count = 0
      link.withOutput { output in
        let before = output.count
        http.nextOutput(into: &output, limit: Self.stride) { [self] stream, limit in pull(stream, limit) }
        count = output.count - before
      }
      ledger.append(count)
      for id in pulled { noteOutput(of: id) }
      handleEvents()
      let moved = pulled
      pulled.removeAll(keepingCapacity: true)
      for id in moved { streams[id]?.outputDidMove() }
      if count == 0 { break }
    }
    handleEvents()
    // An exchange may still wait for the kernel to take the last bytes.
    if machine.isOpen, machine.hasFailed || http.isFinished && streams.isEmpty { end() }
  }

  /// Called inside the codec: it must not be used.
  private func pull(_ id: HTTP2StreamID, _ limit: Int) -> HTTP2Content {
    guard let stream = streams[id] else { return .end }
    if pulled.last != id { pulled.append(id) }
    return stream.takeContent(limit: limit)
  }

  private func noteOutput(of id: HTTP2StreamID) {
    guard let stream = streams[id] else { return }
    stream.noteOutput(upTo: ledger.written)
    ledger.note(id)
  }

  // MARK: Events of the codec

  private func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    var offset = 0
    let within = link.arrival.within(upTo: instant)
    while machine.isOpen, let event = http.receive(bytes, from: &offset, at: instant) {
      // The kernel's clock tells when the last bytes came: of several frames, maybe only the last.
      handle(event, of: bytes, at: offset == bytes.count ? instant : within)
    }
    requestPump()
  }

  private func handleEvents() {
    while machine.isOpen, let event = http.nextEvent() { handle(event, of: Span(), at: .now) }
  }

  private func handle(_ event: HTTP2Event, of bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch event {
    case .request(let id, let head, let endsStream):
      begin(id, head, endsStream: endsStream, at: instant)
    case .oversizedRequest(let id, let excess, let method, let endsStream):
      let stream = HTTP2ClientStream(oversized: id, of: self, isHead: method == "HEAD", endsStream: endsStream)
      streams[id] = stream
      wait(nil)
      stream.refuseHead(because: ExchangeRecord.Failure(.tooLarge(excess)), at: instant)
    case .data(let id, let range):
      guard let stream = streams[id] else { return consume(on: id) }
      stream.receive(bytes.extracting(range), at: instant)
    case .trailers(let id, let trailers):
      streams[id]?.receive(trailers, at: instant)
    case .end(let id):
      streams[id]?.requestDidEnd(at: instant)
    case .reset(let id, let code, by: _):
      streams[id]?.clientDidReset(code)
    case .refused(let id, let violation):
      refuse(id, because: violation)
    case .closed(let id):
      streams[id]?.isClosed = true
      removeIfDone(id)
    case .headSent(let id, wireSize: _):
      noteOutput(of: id)
    case .endSent(let id):
      noteOutput(of: id)
      streams[id]?.responseDidLeave()
    case .settings:
      if machine.settingsDidCome() { waitIfIdle() }
    case .priority(let id, let fieldValue):
      streams[id]?.clientDidReprioritize(fieldValue)
    case .failed(let violation):
      fail(because: violation)
    case .settingsAcknowledged, .pong, .goAway:
      break
    case .interim, .response:
      preconditionFailure("a connection in the server role read a response")
    }
  }

  private func begin(_ id: HTTP2StreamID, _ request: HTTP2RequestHead, endsStream: Bool, at instant: MonotonicInstant) {
    do throws(HTTPParseError) {
      let head = try request.head()
      let stream = HTTP2ClientStream(id, of: self, request: request, endsStream: endsStream)
      streams[id] = stream
      wait(nil)
      stream.begin(head, endsStream: endsStream, at: instant)
    } catch {
      reset(id, .protocolError)
      client.recordRefusal(ExchangeRecord.Failure(error), of: id, with: .protocolError)
    }
  }

  /// The stream has been reset because of what the client sent.
  private func refuse(_ id: HTTP2StreamID, because violation: HTTP2Violation) {
    let failure = ExchangeRecord.Failure(violation)
    guard let stream = streams[id], !stream.isOver else {
      return client.recordRefusal(failure, of: id, with: violation.code)
    }
    stream.end(as: StreamMetrics.Reset(code: violation.code, who: .local), .gaveUp(failure))
  }

  /// The client broke a rule of the connection. GOAWAY goes out, and then the connection ends.
  private func fail(because violation: HTTP2Violation) {
    machine.clientDidFail()
    let failure = ExchangeRecord.Failure(violation)
    let open = openStreams
    for stream in open { stream.end(as: StreamMetrics.Reset(code: violation.code, who: .local), .gaveUp(failure)) }
    if open.isEmpty { client.recordRefusal(failure, of: nil, with: violation.code) }
    requestPump()
  }

  /// In the order in which they were opened.
  private var openStreams: [HTTP2ClientStream] {
    streams.values.filter { !$0.isOver }
  }

  /// A stream is over, or the codec has closed it.
  func removeIfDone(_ id: HTTP2StreamID) {
    guard let stream = streams[id], stream.isDone else { return }
    streams[id] = nil
    waitIfIdle()
    // The client need not answer that it has heard of our leaving: what it sends now it may send again.
    if streams.isEmpty, machine.isDraining { http.completeShutdown() }
    requestPump()
  }

  // MARK: Patience

  private func waitIfIdle() {
    if streams.isEmpty, !machine.isOpening { wait(shard.configuration.idleTimeout) }
  }

  /// Waits at most this long for the next sign of life; `nil`: its streams wait for themselves.
  private func wait(_ limit: Duration?) {
    patience.wait(limit) { Timer(loop: shard.loop) { [unowned self] in runOutOfPatience() } }
  }

  private func runOutOfPatience() {
    goOn(at: .now, offersExtendedConnect: false)
    switch machine.timeoutAction {
    case .shutDown:
      beginShutdown()
      wait(shard.configuration.idleTimeout)
    case .refuse:
      client.recordUnfinishedRequest(.clientTimedOut(in: .request, option: "--header-timeout"), began: nil)
      machine.clientDidFail()
      http.terminate(.settingsTimeout)
      requestPump()
    case .close: close()
    case .nothing: break
    }
  }

  // MARK: The end

  /// No more requests are wanted: the client is told, and the connection ends when its streams have ended (RFC 9113 6.8).
  private func beginShutdown() {
    goOn(at: .now, offersExtendedConnect: false)
    guard machine.beginShutdown() else { return }
    http.beginShutdown()
    // Nothing is lost if the client hears the last number at once: it has no stream open.
    if streams.isEmpty { http.completeShutdown() }
    requestPump()
  }

  /// The client is gone, or we give it up.
  private func lose(because departure: Departure) {
    let open = openStreams
    close()
    for stream in open { stream.connectionDidEnd(departure) }
  }

  private func end() {
    guard machine.close() else { return }
    if client.omitsCloseNotify { link.omitCloseNotify() }
    link.closeAfterFlush()
    didClose()
  }

  private func close() {
    guard machine.close() else { return }
    if client.omitsCloseNotify { link.omitCloseNotify() }
    link.close()
    didClose()
  }

  private func didClose() {
    wait(nil)
    client.leave()
    streams = StreamTable()
    shard.connectionDidEnd(self)
  }
}

// MARK: - For the loop

extension HTTP2ClientConnection: EndOfTurnWorker {
  func finishTurn() {
    isPumpDue = false
    pump()
    let isBlocked = link.isBlocked
    for id in supplied { streams[id]?.outputWasDue(isBlocked: isBlocked) }
    supplied.removeAll(keepingCapacity: true)
  }
}

// MARK: - For the shard

extension HTTP2ClientConnection: ShardConnection {
  var id: UInt64 { client.id }

  func exchangesInFlight(at instant: MonotonicInstant) -> [ExchangeRecord] {
    streams.values.compactMap { $0.recordSoFar(at: instant) }
  }

  func closeIfIdle() {
    beginShutdown()
  }

  func abort() {
    lose(because: .gaveUp(.shutdown))
  }
}

// MARK: - What the link tells

extension HTTP2ClientConnection: SecureChannelHandler {
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard held == nil else { return hold(bytes, at: instant) }
    receive(bytes, at: instant)
  }

  /// A client that wants its answers keeps its side open.
  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    if link.inputIsTruncated { client.hasOmittedCloseNotify = true }
    hangUp(at: instant)
  }

  private func hangUp(at instant: MonotonicInstant, alert: String? = nil) {
    if machine.isOpening { client.tunnel?.suspectRefusal(at: instant, alert: alert) }
    lose(because: .left)
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    for id in ledger.deliver(count) { streams[id]?.didDeliver(at: instant) }
  }

  func channelIsBlocked() {
    for stream in streams.values { stream.outputWasDue(isBlocked: true) }
  }

  func channelDidDrain() {
    requestPump()
  }

  func channelDidFail(_ error: TransportError) {
    switch error.kind {
    case .alert(let name): hangUp(at: .now, alert: name)
    case .reset: hangUp(at: .now)
    default: lose(because: .left)
    }
  }

  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    preconditionFailure("HTTP/2 begins after the handshake")
  }
}
