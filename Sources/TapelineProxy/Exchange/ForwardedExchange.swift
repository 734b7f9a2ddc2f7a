internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// One exchange, forwarded: the client's request goes to the origin and the response comes back, with back-pressure both ways and
/// a copy for the record. Loop-bound.
///
/// It owns the task of the session that carries the request, and has a task delegate for each direction: `upload` is the client's
/// body, which goes up when the origin's connection asks for it; `download` is the origin's response, which goes to the client's
/// link as it comes. The exchange ends, and records itself once, when the task has completed and the client has all of the
/// response that came.
final class ForwardedExchange {
  /// How far the exchange has come.
  private enum Stage {
    case unstarted
    case running(SessionTask)
    /// We have cancelled the task, which has not completed yet.
    case cancelling(SessionTask)
    /// The task completed at this instant. The client does not have everything yet.
    case delivering(since: MonotonicInstant)
    case recorded
  }

  private let connection: ClientConnection
  private let shard: LoopShard
  private let outgoing: OutgoingRequest
  private var record: ExchangeRecord
  private var stage = Stage.unstarted
  private var upload: ForwardedUpload
  private var download: ForwardedDownload
  /// Whether the client's connection may carry another exchange after this one.
  private var persists: Bool
  /// When the first byte came from the origin, or went to it as body.
  private var began: MonotonicInstant?
  /// The stream after a 101.
  private var stream: UpgradedStream?

  init(connection: ClientConnection, shard: LoopShard, record: ExchangeRecord, request: OutgoingRequest, persists: Bool) {
    self.connection = connection
    self.shard = shard
    self.record = record
    outgoing = request
    upload = ForwardedUpload(
      into: record.requestBody, captures: request.framing != .none && shard.configuration.keeps(request.head.fields))
    download = ForwardedDownload(into: record.responseBody)
    self.persists = persists
  }

  private var link: Link { connection.link }

  private var task: SessionTask? {
    switch stage {
    case .running(let task), .cancelling(let task): task
    case .unstarted, .delivering, .recorded: nil
    }
  }

  func begin() {
    do throws(TransportError) {
      let task = try shard.session.forward(outgoing, for: self)
      stage = .running(task)
      task.resume()
    } catch {
      end(with: error, nil)
    }
  }

  // MARK: From the client

  func receiveBody(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    record.marks.move(.requestLastByte, to: instant)
    upload.receive(bytes)
    task?.bodyBecameAvailable()
    if upload.isBehind { link.pauseReading() }
  }

  func receiveTrailers(_ trailers: HeaderFields) {
    upload.receive(trailers)
  }

  func endRequest(at instant: MonotonicInstant) {
    upload.end()
    record.marks.move(.requestLastByte, to: instant)
    if outgoing.framing != .none { task?.bodyBecameAvailable() }
  }

  /// Whether the client has sent all of its request.
  var requestEnded: Bool { upload.isComplete }

  /// Whether bytes of the client's body are outstanding that the origin's connection would take.
  var awaitsBody: Bool { upload.awaitsClient }

  /// Whether the client has been told nothing yet.
  var canBeAnswered: Bool { download.isUntold }

  /// The client's body turned out to be malformed.
  func clientBroke(_ failure: ExchangeRecord.Failure, status: Int) {
    record.failure = failure
    persists = false
    switch download.clientDidFail() {
    case .answer: answer(LocalReply(status: status, text: "tapeline: \(failure.message)", proxyError: .requestError))
    case .reset: connection.reset()
    case .end, .nothing: break
    }
    cancel()
  }

  /// The client's connection is gone: the upstream work is cancelled.
  func clientDidLeave(_ departure: ClientConnection.Departure) {
    if record.failure == nil {
      switch departure {
      case .left: noteDeparture()
      case .gaveUp(let failure): record.failure = failure
      }
    }
    download.clientDidLeave()
    persists = false
    if case .delivering = stage { finish(at: .now) } else { cancel() }
  }

  /// A client may leave whenever it likes, unless its own message or a response whose length it was told is incomplete.
  private func noteDeparture() {
    if !upload.isComplete {
      record.failure = .clientGone(in: .request)
    } else if download.isMidLength {
      record.failure = .clientGone(in: reachedPhase)
    } else {
      record.endedByClient = reachedPhase
    }
  }

  /// The phase that the exchange is in. Until the final response's head is complete, that is the wait, however much of it has
  /// come.
  private var reachedPhase: ExchangeRecord.Phase {
    let phase: TransportError.Phase = if case .delivering = stage { .receive } else { task?.reachedPhase ?? .connect }
    return ExchangeRecord.Phase(record.response == nil && phase == .receive ? .wait : phase)
  }

  private func cancel() {
    guard case .running(let task) = stage else { return }
    stage = .cancelling(task)
    task.cancel()
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  /// Bytes were sent to the client.
  func didDeliver(at instant: MonotonicInstant) {
    record.marks.stamp(.deliveredFirst, at: instant)
    record.marks.move(.deliveredLast, to: instant)
    if case .delivering = stage, link.bufferedBytes == 0 { finish(at: instant) }
  }
}

// MARK: - The task

extension ForwardedExchange: TaskOwner {
  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    let chunk = upload.pull(limit: limit)
    switch chunk {
    case .bytes:
      // Even after the whole body: if the client leaves then, we notice the end of its connection.
      if connection.input.isEmpty { link.resumeReading() }
      if !upload.isComplete { connection.waitForClient(in: self) }
    case .later:
      // The origin gets the request when all of its body is here. If the client waits for a 100, we must send it.
      if task.isGatheringBody, outgoing.head.expectation == .continue, upload.invite() { sendContinue() }
    case .end:
      break
    }
    return chunk
  }

  private func sendContinue() {
    link.withOutput { output in
      HeadSerializer.appendStatusLine(status: 100, into: &output)
      HeadSerializer.appendEnd(into: &output)
    }
  }

  func taskTrailers(_ task: SessionTask) -> HeaderFields? { upload.trailers }

  func task(_ task: SessionTask, didSendBody count: Int) {
    if began == nil { began = .now }
  }

  // MARK: The response

  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    record.informational.append(head)
    guard download.isUntold, outgoing.head.version >= .http11 else { return }
    let forwarding = forwarding(framing: .none, persists: true)
    link.withOutput { forwarding.append(head, into: &$0) }
  }

  /// How a response goes on to the client.
  private func forwarding(framing: BodyFraming, persists: Bool) -> ResponseForwarding {
    var forwarding = ResponseForwarding(
      to: outgoing.head.method, of: outgoing.head.version, framing: framing, persists: persists)
    forwarding.isPaired = outgoing.connections != nil
    if shard.configuration.namesItself { forwarding.pseudonym = shard.configuration.pseudonym }
    return forwarding
  }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    if began == nil { began = task.metrics.marks[.responseFirstByte] ?? .now }
    record.response = head
    if head.status == 101 { return switchProtocols(head) }
    guard download.isUntold else { return .cancel }
    let endsWithOrigin = connection.endsWithOrigin
    let framing = ResponseForwarding.framing(
      of: task.responseFraming ?? .none, to: outgoing.head.version, endsConnection: endsWithOrigin)
    // A request that is still coming in would be read as the next one's beginning, should the client stop sending it.
    persists = persists && framing != .untilClose && upload.isComplete
    if endsWithOrigin { persists = persists && task.connectionPersists }
    var forwarding = forwarding(framing: framing, persists: persists)
    forwarding.date = shard.date.text(at: task.metrics.marks[.responseHeadEnd] ?? .now)
    link.withOutput { forwarding.append(head, into: &$0) }
    record.responseForwarding = forwarding
    download.begin(framing, from: task.responseFraming, captures: shard.configuration.keeps(head.fields))
    if endsAtWill(task, head) { connection.engage(.stream, at: task.metrics.marks[.responseHeadEnd]) }
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
    switch download.receive(bytes, at: task.metrics.marks[.responseLastByte]) {
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

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    download.receive(trailers)
  }

  // MARK: The end

  func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    record.adoptWithTLS(metrics)
  }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    end(with: error, task.metrics.tlsFailure)
  }

  private func end(with error: TransportError?, _ tlsFailure: TLSError?) {
    let now = MonotonicInstant.now
    // A task that we have cancelled did not fail.
    let failure = if case .cancelling = stage { TransportError?.none } else { error }
    stage = .delivering(since: now)
    if let failure {
      breakOff(failure, tlsFailure, at: now)
    } else {
      switch download.end() {
      case .none: break
      case .lastChunk: sendLastChunk()
      }
    }
    if !download.isOwed || link.bufferedBytes == 0 { finish(at: now) }
  }

  private func sendLastChunk() {
    let trailers = download.trailers
    let removed = trailers.flatMap { _ in record.response.map { HopByHopFields(of: $0.fields) } }
    link.withOutput { ChunkedEncoder.appendLastChunk(trailers: trailers, without: removed, into: &$0) }
  }

  /// The task failed: tells the client, if it was told nothing yet, or makes sure that it cannot mistake the bytes it has for the
  /// whole.
  private func breakOff(_ error: TransportError, _ tlsFailure: TLSError?, at now: MonotonicInstant) {
    record.marks.stamp(.failed, at: now)
    // A client that has left has cancelled the task.
    if !record.isBrokenOff { record.failure = ExchangeRecord.Failure(error) }
    switch download.originDidFail() {
    case .answer:
      persists = persists && upload.isComplete
      answer(LocalReply(error, tls: tlsFailure, host: outgoing.route.serverName))
    case .reset: connection.reset()
    case .end: persists = false
    case .nothing: break
    }
  }

  private func answer(_ local: LocalReply) {
    record.localStatus = local.status
    connection.send(local, version: outgoing.head.version, persist: persists, hasBody: outgoing.head.method != .head)
  }

  /// The exchange as far as it has come; `nil` when it is recorded.
  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? {
    if case .recorded = stage { return nil }
    var record = record
    record.inFlightAt = instant
    if let task { record.adoptWithTLS(task.metrics) }
    notePassed(in: &record, at: instant)
    return record
  }

  /// Notes the bytes passed in each direction, and the kernel's data on the client's connection.
  private func notePassed(in record: inout ExchangeRecord, at instant: MonotonicInstant) {
    record.requestBody = upload.body
    record.requestTrailers = upload.trailers
    record.responseBody = download.body
    record.responseTrailers = download.trailers
    record.chunks = download.pieces
    record.client.tcp = link.recentTCPStatistics(at: instant)
    if let stream { record.adopt(stream) }
  }

  /// Records the exchange, once, and lets the client's connection go on.
  private func finish(at instant: MonotonicInstant) {
    guard case .delivering(let completed) = stage else { return }
    stage = .recorded
    notePassed(in: &record, at: instant)
    record.timeline = Timeline(
      startedAt: record.started, firstByteAt: began, completedAt: completed, serializedAt: instant)
    if let stream { noteDropper(of: stream) }
    if record.isBrokenOff { record.marks.stamp(.failed, at: instant) }
    shard.record(record)
    let outlivesOrigin = record.localStatus != nil || connection.outlivesOrigin
    connection.exchangeDidEnd(persist: persists && upload.isComplete && outlivesOrigin)
  }
}

// MARK: - After a 101

/// Bytes both ways, untouched, with back-pressure and half-close in each direction (RFC 9110 7.8).
extension ForwardedExchange {
  /// Tells the client. From here on the connections carry no messages.
  private func switchProtocols(_ head: ResponseHead) -> ResponseDisposition {
    guard download.isUntold else { return .cancel }
    var forwarding = forwarding(framing: .none, persists: true)
    forwarding.forwardsUpgrade = true
    link.withOutput { forwarding.append(head, into: &$0) }
    record.responseForwarding = forwarding
    download.upgrade()
    persists = false
    return .proceed
  }

  func taskDidUpgrade(_ task: SessionTask) {
    let isWebSocket = record.response?.fields.listContains(token: "websocket", in: .upgrade) ?? false
    stream = UpgradedStream(webSocketLimits: isWebSocket ? shard.configuration.webSocketLimits : nil)
    connection.exchangeDidUpgrade(self)
  }

  func relayFromClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    stream?.noteToServer(bytes, at: instant)
    if task?.send(bytes) == .pause { link.pauseReading() }
  }

  func clientDidEnd() {
    stream?.clientDidEnd()
    task?.finishSending()
  }

  private func relayFromOrigin(_ bytes: Span<UInt8>, at instant: MonotonicInstant, noting stream: UpgradedStream) -> Demand {
    stream.noteToClient(bytes, at: instant)
    link.write(bytes)
    return link.isAboveHighWater ? .pause : .more
  }

  func taskDidReceiveEnd(_ task: SessionTask) {
    stream?.serverDidEnd()
    link.shutdownOutput()
  }

  func taskCanSendMore(_ task: SessionTask) {
    if stream?.clientEnded == false { link.resumeReading() }
  }

  private func noteDropper(of stream: UpgradedStream) {
    guard !record.isBrokenOff else { return }
    switch stream.dropper {
    case .toServer?: record.endedByClient = .receive
    case .toClient?: record.failure = .webSocketDropped
    case nil: break
    }
  }
}

extension ExchangeRecord {
  /// Takes over the data of a stream after a 101.
  fileprivate mutating func adopt(_ stream: UpgradedStream) {
    relayed = stream.relayed
    webSocketMessages = stream.messages
    webSocketMessageCount = stream.messageCount
  }
}
