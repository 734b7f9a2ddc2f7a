internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTime

/// One task on a connection to an HTTP/2 origin: a place in the line, and then a stream. Loop-bound.
///
/// Held by its connection until nghttp2 has closed the stream, and by its task while that lasts. Its extension tells the task
/// what the origin sends (`+Response`).
final class UpstreamStream: TaskCarrier {
  /// The most of a response that is read for nobody before the stream is reset, and for how long.
  static let drainLimit: UInt64 = 64 * 1024
  private static let drainTime = Duration.milliseconds(500)
  /// Attempts of one exchange that an origin may refuse.
  private static let attemptLimit = 3
  /// Bytes of a stream of bytes that wait here before its sender pauses.
  private static let outputLimit = 64 * 1024
  /// The most bytes of a frame, unless the origin allows more (RFC 9113 4.2).
  private static let pieceSize = 16 * 1024

  let connection: HTTP2UpstreamConnection
  let request: OutgoingRequest
  /// `nil` once the task has ended, or goes on elsewhere.
  var task: SessionTask?
  /// The task whose answer the drained response was not, and the number of its attempt.
  private(set) var drained: (task: SessionTask, attempt: Int)?
  var machine = StateMachine()
  /// 0 while the stream waits.
  private(set) var id: HTTP2StreamID = 0
  private(set) var content: RequestContent
  private let hasWaited: Bool
  /// Whether the origin's limit of streams was known when the stream was opened.
  private(set) var knewLimit = false
  /// When the newest header block began to come.
  var headBegan: MonotonicInstant?
  /// The task's receiver has asked for a pause.
  var isPaused = false
  private var sendStallBegan: MonotonicInstant?
  var receiveStallBegan: MonotonicInstant?
  private var senderPauses = false
  private var patience = Patience()

  init(_ task: SessionTask, _ request: OutgoingRequest, on connection: HTTP2UpstreamConnection, hasWaited: Bool) {
    self.task = task
    self.request = request
    self.connection = connection
    self.hasWaited = hasWaited
    content = RequestContent(isEmpty: !request.hasContentInHTTP2)
  }

  var reached: TransportError.Phase { machine.reached }

  private var transport: NetworkTransport { connection.transport }

  // MARK: The request

  /// The stream has its number, and its head will go out.
  func open(_ id: HTTP2StreamID, knowsLimit: Bool) {
    guard let task else { return }
    self.id = id
    knewLimit = knowsLimit
    machine.open(
      UpstreamExchange(
        hasWaited: hasWaited, isReplayable: request.isReplayable, isPaired: request.connections != nil,
        bodyLength: request.framing.length ?? 0))
    task.metrics.stream = StreamMetrics(id: id)
    if request.sender == .client { task.metrics.forwarding = connection.forwarding(of: request) }
    if request.isExtendedConnect { content.postpone() } else { refill() }
  }

  /// Our head went into the output.
  func headWasSent(wireSize: Int) {
    // Trailers have a block, too.
    if let task, task.metrics.bytes.requestHead == 0 { task.metrics.bytes.requestHead = UInt64(wireSize) }
  }

  /// The frame that ends our direction went into the output.
  func endWasSent() {
    noteSent()
    machine.note { $0.endRequest() }
    guard let exchange = machine.exchange, machine.isExchanging else { return }
    if exchange.responseEnded, let task {
      // The codec forgets the stream before the kernel takes its last frame.
      task.metrics.marks.move(.sentLast, to: .now)
      return complete(task)
    }
    wait(exchange.headEnded ? (isPaused ? nil : idleTimeout) : responseTimeout)
  }

  /// The kernel took frames of the stream.
  func didWrite(_ progress: SentFrames.Progress, at instant: MonotonicInstant) {
    guard let task else { return }
    switch progress {
    case .began:
      task.metrics.marks.stamp(.sentFirst, at: instant)
    case .left(_, let bytes, let endsStream):
      task.metrics.bytesSent += UInt64(bytes)
      // The peer of a stream of bytes does not wait for an end of sending: its head counts as the request.
      if endsStream || request.isExtendedConnect { task.metrics.marks.stamp(.sentLast, at: instant) }
    }
  }

  /// nghttp2 has room for content. Nobody may be called from here.
  func pull(_ limit: Int) -> HTTP2Content {
    guard let task else { return .later }
    if let began = sendStallBegan.take() { task.metrics.stream?.sendStalled += MonotonicInstant.now.duration(since: began) }
    let piece = content.pull(limit)
    if case .bytes = piece { connection.refillLater(self) }
    return piece
  }

  /// Content waits and the origin's windows are closed.
  func noteSendStall(at instant: MonotonicInstant) {
    guard sendStallBegan == nil, content.waitingBytes > 0, let task else { return }
    sendStallBegan = instant
    task.metrics.stream?.sendStalls += 1
  }

  func pumpBody() {
    guard content.isLater, machine.isExchanging, !request.isExtendedConnect else { return }
    content.want()
    refill()
  }

  /// Asks the task for the next piece of its body.
  func refill() {
    noteSent()
    guard content.isWanted, let task else { return }
    guard let exchange = machine.exchange, !request.isExtendedConnect else { return canSendMore() }
    switch task.nextBodyChunk(limit: Self.pieceSize) {
    case .bytes(let piece):
      guard self.task === task else { return }
      put(piece, of: task)
    case .later:
      content.postpone()
      wait(exchange.headEnded && !isPaused ? idleTimeout : nil)
      return
    case .end:
      guard self.task === task else { return }
      if exchange.bodyRemaining > 0 { return giveUp(.shortBody(missing: exchange.bodyRemaining), code: .internalError) }
      content.end(trailers: task.trailers.map { HTTP2HeaderList(trailers: $0) })
    }
    connection.contentIsReady(on: id)
  }

  private func put(_ piece: [UInt8], of task: SessionTask) {
    var isLast = false
    if case .length = request.framing {
      machine.note { $0.sendBody(piece.count) }
      // With the last byte the stream can end, if the source says that it was the last.
      if machine.exchange?.bodyRemaining == 0, case .end = task.nextBodyChunk(limit: Self.pieceSize) {
        isLast = request.http2 == nil || task.trailers == nil
      }
    }
    guard self.task === task else { return }
    content.put(piece, isLast: isLast)
    wait(idleTimeout)
  }

  /// Tells the task what went into frames.
  private func noteSent() {
    let count = content.takeUntold()
    guard count > 0, let task else { return }
    task.metrics.bytes.requestBody += UInt64(count)
    task.didSendBody(count)
  }

  // MARK: A stream of bytes

  func send(_ bytes: Span<UInt8>) -> Demand {
    guard machine.isStreaming, !bytes.isEmpty else { return .more }
    content.append(bytes)
    connection.contentIsReady(on: id)
    // Until nothing waits, although less than the limit may wait meanwhile.
    senderPauses = senderPauses || content.waitingBytes >= Self.outputLimit
    return senderPauses ? .pause : .more
  }

  func finishSending() {
    guard machine.endStreamOutput() else { return }
    content.end(trailers: nil)
    connection.contentIsReady(on: id)
    endStreamIfComplete()
  }

  private func canSendMore() {
    guard machine.isStreaming, senderPauses else { return }
    senderPauses = false
    task?.canSendMore()
  }

  /// Before its turn has come, a stream has no number by which the origin knows it.
  func updatePriority(_ fieldValue: String) {
    if id != 0 { connection.updatePriority(of: id, fieldValue) }
  }

  /// A stream of bytes on an HTTP/2 connection belongs to nobody else.
  func detach(_ task: SessionTask) -> DetachedStream? { nil }

  // MARK: The task's commands

  func resumeReceiving() {
    guard isPaused, let task else { return }
    isPaused = false
    endReceiveStall(of: task)
    connection.consumeAll(on: id)
    if let exchange = machine.exchange, machine.isExchanging, exchange.headEnded { wait(idleTimeout) }
  }

  func cancel(_ task: SessionTask) {
    guard self.task === task else { return }
    if !machine.isWaiting { task.metrics.stream?.reset = StreamMetrics.Reset(code: task.cancelCode, who: .client) }
    let code = task.cancelCode
    leave()
    connection.abandon(self, code)
    task.complete(with: .cancelled)
  }

  func decide(_ decision: ResponseDecision) {
    guard let task, let held = machine.decide(decision) else { return }
    switch decision {
    case .proceed: proceed(with: held, of: task)
    case .cancel: task.cancel()
    case .repeat: goOn(task, without: held)
    }
  }

  /// The response is not the task's answer: its next exchange begins at once, on any connection.
  private func goOn(_ task: SessionTask, without held: HeldResponse) {
    let requestEnded = machine.exchange?.requestEnded ?? false
    machine.drain(left: Self.drainLimit)
    connection.measure(task)
    endStalls(of: task)
    self.task = nil
    drained = (task, task.metrics.attempts)
    if held.isComplete || !requestEnded {
      machine.end()
      endDraining()
      connection.abandon(self, .cancel)
    } else {
      connection.consumeAll(on: id)
      wait(Self.drainTime)
    }
    transport.begin(task)
  }

  /// Nothing more of a response comes that nobody wants.
  private func endDraining() {
    guard let (task, attempt) = drained.take() else { return }
    task.didLeave(attempt: attempt)
  }

  // MARK: Ending

  /// The codec has forgotten the stream.
  func didClose() {
    wait(nil)
    endDraining()
  }

  /// Takes leave of the task: from here on the stream is nobody's.
  func leave() {
    wait(nil)
    guard let task else { return }
    noteSent()
    endStalls(of: task)
    connection.measure(task)
    self.task = nil
    machine.end()
  }

  /// Completes the task; the stream was ended by the origin.
  func fail(_ error: TransportError) {
    guard let task else { return }
    leave()
    task.complete(with: error)
  }

  /// Ends the stream for a fault of ours, or because of our impatience.
  private func giveUp(_ error: TransportError, code: HTTP2ErrorCode) {
    guard let task else { return }
    task.metrics.stream?.reset = StreamMetrics.Reset(code: code, who: .local)
    leave()
    connection.abandon(self, code)
    task.complete(with: error)
  }

  /// Sends the request again, on a connection that the transport finds, if the origin cannot have processed it and all of its
  /// content can be sent again. Answers whether it does.
  func repeats(offering offer: ProtocolOffer? = nil) -> Bool {
    guard let task, let exchange = machine.exchange, !exchange.responseBegan, content.isRepeatable,
      task.exchangeAttempts < Self.attemptLimit, offer == nil || task.offer != offer
    else { return false }
    leave()
    content.putBack(into: &task.gathered)
    if let offer { task.offer = offer }
    transport.begin(task)
    return true
  }

  /// The connection has ended under the stream.
  func connectionDidEnd(_ error: TransportError, lacksCertificate: Bool = false) {
    guard let task else { return endDraining() }
    if machine.isWaiting {
      leave()
      return transport.reconsider(task)
    }
    var error = error.at(error.origin, machine.reached)
    if lacksCertificate, machine.exchange?.responseBegan != true { error = error.afterMissingCertificate }
    if !error.demandsCertificate, machine.exchange?.allowsRetry(attempts: task.exchangeAttempts) == true {
      leave()
      return transport.begin(task)
    }
    if machine.exchange?.endsForClient == true { task.noteLossOfReusedConnection() }
    fail(error)
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life; `nil` when it is not the origin's turn.
  func wait(_ limit: Duration?) {
    patience.wait(limit) { Timer(loop: transport.loop) { [unowned self] in runOutOfPatience() } }
  }

  var responseTimeout: Duration? { task?.timeouts?.request ?? transport.configuration.responseTimeout }

  var idleTimeout: Duration? { task?.timeouts?.request ?? transport.configuration.idleTimeout }

  private func runOutOfPatience() {
    switch machine.timeoutAction {
    case .endDraining:
      machine.end()
      connection.abandon(self, .cancel)
    case .failForResponse: giveUp(.timedOut(in: .wait, limit: .response), code: .cancel)
    case .failForSilence(in: let phase): giveUp(.timedOut(in: phase, limit: .silence), code: .cancel)
    }
  }

  /// From now on there can be no other attempt.
  func responseDidBegin() { content.forget() }

  // MARK: Stalls

  private func endStalls(of task: SessionTask) {
    if let began = sendStallBegan.take() { task.metrics.stream?.sendStalled += MonotonicInstant.now.duration(since: began) }
    endReceiveStall(of: task)
  }

  private func endReceiveStall(of task: SessionTask) {
    guard let began = receiveStallBegan.take() else { return }
    task.metrics.stream?.receiveStalled += MonotonicInstant.now.duration(since: began)
  }
}

extension OutgoingRequest {
  /// Whether DATA follows the head.
  var hasContentInHTTP2: Bool {
    switch framing {
    case .none, .length(0): isExtendedConnect
    case .length, .chunked: true
    case .untilClose: preconditionFailure("a request body is never delimited by close (RFC 9112 6.3)")
    }
  }
}
