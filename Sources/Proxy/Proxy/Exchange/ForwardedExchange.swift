internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// One exchange, forwarded: the client's request goes to the origin and the response comes back, with back-pressure both ways and
/// a copy for the record. Loop-bound.
///
/// It owns the task of the session that carries the request, and has a task delegate for each direction: `upload` is the client's
/// body, which goes up when the origin's connection asks for it; `download` is the origin's response, which goes to the client as
/// it comes. It speaks to the client in messages (`ClientExchange`), whatever version of HTTP carries them. The exchange ends,
/// and records itself once, when the task has completed and the client has all of the response that came.
final class ForwardedExchange {
  let client: any ClientExchange
  let shard: LoopShard
  let outgoing: OutgoingRequest
  let draft: RecordDraft
  var machine = StateMachine<SessionTask>()
  private var upload: ForwardedUpload
  var download: ForwardedDownload
  /// The stand-in that does to it what rules of the user's say, if any concern it.
  var injected: InjectedExchange?
  /// When the first byte came from the origin, or went to it as body.
  private var began: MonotonicInstant?
  /// The stream after a 101, or of a response that we do not read.
  private var stream: UpgradedStream?
  /// Whether the stream is a response that we do not read, and the client's connection ends with it.
  private var passesUnread = false
  /// The messages of a gRPC call.
  private var call: ObservedCall?
  /// The origin has ended its direction, and was still being sent the request.
  private var originHasEnded = false
  /// How the origin has ended its connection, after its whole response and before it had the whole request.
  private var earlyEnd: PassedFailure.Ending?
  /// The client has left with everything, and the origin is still being sent the request.
  private var isDelivery = false
  /// The client's connection when the exchange began.
  private let clientStart: TCPSample

  init(client: any ClientExchange, shard: LoopShard, draft: RecordDraft, request: OutgoingRequest) {
    self.client = client
    self.shard = shard
    outgoing = request
    let limit = shard.configuration.maxBody
    let captures = request.framing != .none && shard.configuration.keeps(request.head.fields, of: request.head)
    upload = ForwardedUpload(into: BodyCapture(limit: limit), captures: captures)
    download = ForwardedDownload(into: BodyCapture(limit: limit))
    call = ObservedCall(request.head.fields)
    clientStart = client.beginTCPHistory(at: draft.lend { $0.started } ?? .now)
    self.draft = draft
  }

  private var task: SessionTask? { machine.task }

  func begin() {
    do throws(TransportError) {
      if let rules = shard.configuration.rules, try beginInjected(by: rules()) { return }
      let task = try shard.session.forward(outgoing, for: self)
      machine.start(task)
      shard.start(task, of: draft)
    } catch {
      end(with: error, nil)
    }
  }

  /// Ends the task, and what a rule holds of its response.
  func cancelTask() {
    machine.cancel()?.cancel()
    injected?.letGo()
  }

  // MARK: From the client

  func receiveBody(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    draft.record.marks.move(.requestLastByte, to: instant)
    upload.capture(bytes)
    call?.noteToServer(bytes, at: instant)
    if !upload.isBehind, task?.sendBody(bytes) == true { return }
    upload.keep(bytes)
    task?.bodyBecameAvailable()
    if upload.isBehind { client.pauseReading() }
  }

  func receiveTrailers(_ trailers: HeaderFields) {
    upload.receive(trailers)
  }

  func endRequest(at instant: MonotonicInstant) {
    upload.end()
    draft.record.marks.move(.requestLastByte, to: instant)
    if outgoing.framing != .none { task?.bodyBecameAvailable() }
  }

  func clientDidReprioritize(_ fieldValue: String) {
    task?.updatePriority(fieldValue)
  }

  /// Whether bytes of the client's body are outstanding that the origin's connection would take.
  var awaitsBody: Bool { upload.awaitsClient }

  /// Whether the client has been told nothing yet.
  var canBeAnswered: Bool { download.isUntold }

  /// The client's body turned out to be malformed.
  func clientBroke(_ failure: ExchangeRecord.Failure, status: Int) {
    draft.record.failure = failure
    switch download.clientDidFail() {
    case .answer: answer(LocalReply(status: status, text: "tapeline: \(failure.message)", proxyError: .requestError))
    case .breakOff: client.breakOff(as: .end)
    case .passOn, .nothing: break
    }
    cancelTask()
  }

  /// The client's connection is gone: the upstream work is cancelled.
  ///
  /// - Parameter lacksContent: whether content that was handed to the client's end has not left it.
  func clientDidLeave(_ departure: Departure, lacksContent: Bool) {
    if hasAll(departure, lacksContent: lacksContent) {
      isDelivery = true
      return shard.keep(self)
    }
    if draft.record.failure == nil {
      switch departure {
      case .left, .reset: noteDeparture(departure, lacksContent: lacksContent)
      case .gaveUp(let failure): draft.record.failure = failure
      }
    }
    if case .reset(let code) = departure { task?.cancelCode = code }
    download.clientDidLeave()
    if machine.isDelivering { finish(at: .now) } else { cancelTask() }
  }

  /// Whether the client has its whole response, and its whole request is here. What is still on its way to an origin that has
  /// answered early arrives there, as it would from the client's kernel.
  private func hasAll(_ departure: Departure, lacksContent: Bool) -> Bool {
    guard machine.task != nil, download.isComplete, upload.isComplete, !lacksContent else { return false }
    return switch departure {
    case .left, .reset: true
    case .gaveUp: false
    }
  }

  /// Nobody waits any longer until the origin takes the rest.
  func giveUpDelivery() {
    draft.record.requestEndedBy = .server
    cancelTask()
  }

  /// A client may leave whenever it likes, unless its own message or a response whose length it was told is incomplete. A client
  /// that has the whole response need not end its request any more.
  private func noteDeparture(_ departure: Departure, lacksContent: Bool) {
    let isWhole = download.isWholeByLength
    if isWhole || download.isComplete && !upload.isComplete, !lacksContent {
      return noteRestOfRequest(endedBy: originHasEnded ? .server : .client)
    }
    if !upload.isComplete {
      draft.record.failure = departure.failure(in: .request)
    } else if isWhole || download.isMidLength {
      draft.record.failure = departure.failure(in: reachedPhase)
    } else {
      draft.record.endedByClient = reachedPhase
    }
  }

  /// The response is whole. An origin that answers early need not take all of the request, and the client need not send it.
  private func noteRestOfRequest(endedBy side: ExchangeRecord.Side) {
    if !upload.isComplete { draft.record.requestEndedBy = side }
  }

  /// The phase that the exchange is in. Until the final response's head is complete, that is the wait, however much of it has
  /// come.
  private var reachedPhase: ExchangeRecord.Phase {
    let phase: TransportError.Phase = if machine.isDelivering { .receive } else { task?.reachedPhase ?? .connect }
    return ExchangeRecord.Phase(draft.record.response == nil && phase == .receive ? .wait : phase)
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  /// Bytes were sent to the client.
  func didDeliver(at instant: MonotonicInstant) {
    draft.record.marks.stamp(.deliveredFirst, at: instant)
    draft.record.marks.move(.deliveredLast, to: instant)
    if machine.isDelivering, client.bufferedBytes == 0 { finish(at: instant) }
  }
}

// MARK: - The task

extension ForwardedExchange: TaskOwner {
  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    let chunk = upload.pull(limit: limit)
    switch chunk {
    case .bytes:
      if upload.hasRoom { client.resumeReading() }
    case .later:
      // The origin gets the request when all of its body is here. If the client waits for a 100, we must send it.
      if task.isGatheringBody, outgoing.head.expectation == .continue, upload.invite() { client.sendContinue() }
    case .end:
      break
    }
    return chunk
  }

  func taskTrailers(_ task: SessionTask) -> HeaderFields? { upload.trailers }

  func task(_ task: SessionTask, didSendBody count: Int) {
    if began == nil { began = .now }
  }

  // MARK: The response

  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    draft.record.informational.append(head)
    if download.isUntold { client.sendInformational(head, to: outgoing) }
  }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    if began == nil { began = task.metrics.marks[.responseFirstByte] ?? .now }
    draft.record.response = head
    if head.status == 101 || (outgoing.isExtendedConnect && HTTPStatus.isSuccessful(head.status)) {
      return switchProtocols(head, task.http2Response)
    }
    guard download.isUntold else { return .cancel }
    let headEnd = task.metrics.marks[.responseHeadEnd] ?? .now
    draft.record.responseForwarding = client.sendHead(
      head, http2: task.http2Response, to: outgoing, content: task.responseFraming, originPersists: task.connectionPersists,
      at: headEnd)
    download.begin(task.responseFraming, captures: shard.configuration.keeps(head.fields, of: outgoing.head))
    if call == nil { call = ObservedCall(head.fields) }
    if endsAtWill(task, head) { client.engage(.stream, at: headEnd) }
    return .proceed
  }

  /// Whether the response is a stream: of a type that goes on until one side has had enough, and without a length, which would
  /// end it.
  private func endsAtWill(_ task: SessionTask, _ head: ResponseHead) -> Bool {
    switch task.responseFraming {
    case .chunked, .untilClose: head.fields.first(of: .contentType).map(ProxyConfiguration.isStream) ?? false
    case .length, .some(.none), nil: false
    }
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    if let stream { return relayFromOrigin(bytes, at: instant, noting: stream) }
    call?.noteToClient(bytes, at: instant)
    return download.receive(bytes, at: task.metrics.marks[.responseLastByte]) ? client.sendBody(bytes) : .more
  }

  func taskOutlet(_ task: SessionTask) -> Channel? {
    stream == nil && call == nil && download.passesUnseen ? client.outlet : nil
  }

  func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand {
    download.pass(count)
    return client.outletDemand
  }

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    download.receive(trailers)
  }

  func taskDidEndResponse(_ task: SessionTask) {
    endResponse()
  }

  // MARK: The end

  func taskDidGatherMetrics(_ task: SessionTask) {
    if let connection = task.metrics.connection, connection.lacksCertificate || connection.endedWithoutNotify {
      noteMissing(certificate: connection.lacksCertificate, notify: connection.endedWithoutNotify, from: task)
    }
    draft.record.adoptWithTLS(&task.metrics)
    if let stream = task.metrics.stream { draft.record.note(stream, response: task.http2Response) }
  }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    end(with: error, task)
  }

  /// - Parameter task: `nil` if there was none.
  private func end(with error: TransportError?, _ task: SessionTask?) {
    let now = MonotonicInstant.now
    switch machine.taskDidComplete(at: now) {
    case .asItIs:
      if let error { fail(with: error, task, at: now) } else { endWhole() }
    case .cancelled:
      endResponse()
    }
    if !download.isOwed || client.bufferedBytes == 0 { finish(at: now) }
  }

  /// The task has done what it was for: an origin in HTTP/2 may have said that it wants no more of the request (RFC 9113 8.1).
  private func endWhole() {
    endResponse()
    if stream == nil { noteRestOfRequest(endedBy: .server) }
  }

  /// A response that is whole has not failed, unless one of our limits has ended the exchange.
  private func fail(with error: TransportError, _ task: SessionTask?, at now: MonotonicInstant) {
    guard download.isComplete, error.limit == nil else { return breakOff(error, task, at: now) }
    draft.record.requestEndedBy = .server
    // After a FIN, a reset only says that nobody reads any more.
    earlyEnd = error.kind == .reset && !originHasEnded ? .reset : .end
  }

  /// The origin got no certificate, or gave no close_notify.
  private func noteMissing(certificate lacksCertificate: Bool, notify endedWithoutNotify: Bool, from task: SessionTask) {
    if endedWithoutNotify, task.responseFraming == .untilClose { draft.record.response?.noteMissingCloseNotify() }
    guard lacksCertificate, let status = draft.record.response?.status else { return }
    if status == 400, CertificateDemand.isMade(by: download.body) {
      noteCertificateDemand("answer 400")
    } else if status == 401 || status == 403 {
      draft.record.comment =
        draft.record.comment ?? "the origin asked for a client certificate, and tapeline had none (--client-cert)"
    }
  }

  private func noteCertificateDemand(_ manner: String) {
    guard let comment = client.tunnel?.noteCertificateDemand(manner, at: .now) else { return }
    draft.record.comment = comment
  }

  private func endResponse() {
    guard download.end() else { return }
    let trailers = download.trailers
    let removed = trailers.flatMap { _ in draft.record.response.map { HopByHopFields(of: $0.fields) } }
    client.endResponse(trailers: trailers, without: removed)
  }

  /// The task failed: tells the client, if it was told nothing yet, or makes sure that it cannot mistake the bytes it has for the
  /// whole.
  private func breakOff(_ error: TransportError, _ task: SessionTask?, at now: MonotonicInstant) {
    draft.record.marks.stamp(.failed, at: now)
    // A client that has left has cancelled the task.
    if !draft.record.isBrokenOff { draft.record.failure = ExchangeRecord.Failure(error) }
    let passed = passes(error, task)
    if error.demandsCertificate { noteCertificateDemand(error.certificateDemand) }
    let remedy = download.originDidFail(passesOn: passed != nil)
    if case .streamReset(let code) = error.kind, remedy != .nothing, client.passOn(reset: code) { return }
    switch (remedy, passed) {
    case (.passOn, let passed?):
      shard.activity.countFailure(isAnswered: false)
      client.passOn(passed)
    case (.answer, _):
      shard.activity.countFailure(isAnswered: true)
      answer(LocalReply(error, tls: task?.metrics.tlsFailure, host: outgoing.route.serverName))
    case (.breakOff, _): client.breakOff(as: error.kind == .reset ? .reset : .end)
    case (.nothing, _), (.passOn, nil): break
    }
  }

  /// How the client's connection ends because of the failure; `nil` when the client is answered. A kept connection that is lost
  /// ends for the client in any case: without us, the client would have had it, and it decides about another attempt.
  private func passes(_ error: TransportError, _ task: SessionTask?) -> PassedFailure? {
    if task?.endsForClient == true, let ending = error.ending {
      return PassedFailure(ending: ending, meaning: .endOfKeptConnection)
    }
    guard var passed = shard.configuration.passes(error) else { return nil }
    passed.head = task?.unreadHead ?? []
    if draft.record.client.isReused { passed.meaning = .endOfNewConnection }
    return passed
  }

  func answer(_ local: LocalReply) {
    draft.record.localStatus = local.status
    client.answer(local, to: outgoing.head)
  }

  /// The exchange as far as it has come; `nil` when it is recorded.
  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? {
    if machine.isRecorded { return nil }
    var record = draft.record
    record.inFlightAt = instant
    if let task {
      var metrics = task.metrics
      record.adoptWithTLS(&metrics)
      if let stream = task.metrics.stream { record.note(stream, response: task.http2Response) }
    }
    notePassed(in: &record, at: instant)
    return record
  }

  /// Notes the bytes passed in each direction, and the kernel's data on the client's connection.
  private func notePassed(in record: inout ExchangeRecord, at instant: MonotonicInstant) {
    record.requestBody = upload.body
    record.requestTrailers = upload.trailers
    record.responseBody = download.body
    record.responseTrailers = download.trailers
    record.arrivals = download.pieces
    record.client.note(client.tcpHistory(since: clientStart, at: instant))
    if let stream, !passesUnread { record.adopt(stream) }
    record.grpc = call?.details(hasEnded: record.inFlightAt == nil)
    if isSending(record) { record.leaveSending() }
    if let stream = client.http2 { record.note(stream) }
  }

  /// Whether the request is not complete: then the exchange is in `send`, whatever was written and whatever has come back. A
  /// client that waits for a 100 waits for the origin.
  private func isSending(_ record: borrowing ExchangeRecord) -> Bool {
    if !upload.isComplete {
      return outgoing.head.expectation != .continue || upload.body.size > 0 || !record.informational.isEmpty
    }
    if record.requestEndedBy != nil { return true }
    return (record.failure.map(\.phase) ?? record.endedByClient ?? task?.reachedPhase.map { ExchangeRecord.Phase($0) }) == .send
  }

  /// Records the exchange, once, and lets the client's connection go on.
  private func finish(at instant: MonotonicInstant) {
    guard let completed = machine.finish() else { return }
    if let stream { noteDropper(of: stream) }
    draft.lend { record in
      notePassed(in: &record, at: instant)
      record.timeline = Timeline(
        startedAt: record.started, firstByteAt: began, completedAt: completed, serializedAt: instant)
      if record.isBrokenOff { record.marks.stamp(.failed, at: instant) }
    }
    injected = nil
    shard.record(draft)
    if isDelivery { shard.deliveryDidEnd(self) }
    if let earlyEnd { client.end(as: earlyEnd) }
    client.exchangeDidEnd()
  }
}

// MARK: - After a 101

/// Bytes both ways, untouched, with back-pressure and half-close in each direction (RFC 9110 7.8).
extension ForwardedExchange {
  /// Tells the client. From here on the connections carry no messages.
  private func switchProtocols(_ head: ResponseHead, _ http2: HTTP2ResponseHead?) -> ResponseDisposition {
    guard download.isUntold else { return .cancel }
    draft.record.responseForwarding = client.switchProtocols(head, http2: http2, to: outgoing)
    download.upgrade()
    return .proceed
  }

  /// The client judges a response that we do not read: it may be less strict, or fail by it as it would without us.
  func task(_ task: SessionTask, passesUnread error: TransportError) -> Bool {
    guard download.isUntold, shard.configuration.passes(error) != nil, client.http2 == nil else { return false }
    draft.record.failure = ExchangeRecord.Failure(error)
    shard.activity.countFailure(isAnswered: false)
    passesUnread = true
    download.upgrade()
    return true
  }

  func taskDidUpgrade(_ task: SessionTask) {
    stream = UpgradedStream(webSocketLimits: isWebSocket ? shard.configuration.webSocketLimits : nil)
    client.exchangeDidUpgrade()
  }

  /// Whether the protocol is WebSocket, after a response that switches protocols.
  var isWebSocket: Bool {
    outgoing.http2?.protocol.map { $0.lowercased() == "websocket" }
      ?? draft.record.response?.fields.listContains(token: "websocket", in: .upgrade) ?? false
  }

  func relayFromClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    // Another request, which may be for another server.
    guard !passesUnread else { return cancelTask() }
    stream?.noteToServer(bytes, at: instant)
    if task?.send(bytes) == .pause { client.pauseReading() }
  }

  func clientDidEnd(omittingCloseNotify omits: Bool = false) {
    stream?.clientDidEnd()
    task?.omitsCloseNotify = omits
    task?.finishSending()
  }

  private func relayFromOrigin(_ bytes: Span<UInt8>, at instant: MonotonicInstant, noting stream: UpgradedStream) -> Demand {
    stream.noteToClient(bytes, at: instant)
    return client.relay(bytes)
  }

  /// Also of an origin that has answered early: as it would without us, the client can go on sending, and learns the rest.
  func taskDidReceiveEnd(_ task: SessionTask) {
    if let stream { stream.serverDidEnd() } else { originHasEnded = true }
    client.endRelay()
  }

  func taskCanSendMore(_ task: SessionTask) {
    if stream?.clientEnded == false { client.resumeReading() }
  }

  private func noteDropper(of stream: UpgradedStream) {
    guard !draft.record.isBrokenOff else { return }
    switch stream.dropper {
    case .toServer?: draft.record.endedByClient = .receive
    case .toClient?: draft.record.failure = .webSocketDropped
    case nil: break
    }
  }
}
