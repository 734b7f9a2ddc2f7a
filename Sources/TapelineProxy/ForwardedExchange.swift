internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// One exchange, forwarded: the client's request goes to the origin and the response comes back, with back-pressure both ways and a copy for
/// the record. Loop-bound.
///
/// It owns the task of the session that carries the request. The client's body comes in by `receiveBody` and goes up when the origin's
/// connection asks for it; the origin's response comes by the task's events and goes to the client's link. The exchange ends, and records
/// itself once, when the task has completed and the client has what there was.
final class ForwardedExchange {
  /// How far the exchange has come.
  private enum Stage {
    case unstarted
    case running(SessionTask)
    /// We have cancelled the task; its completion is still to come.
    case cancelling(SessionTask)
    /// The task completed at this instant. The client does not have everything yet.
    case delivering(since: MonotonicInstant)
    case recorded
  }

  /// How the response is going.
  private enum Reply {
    /// Nothing was sent to the client yet.
    case none
    case relaying(BodyFraming)
    /// All of it was handed to the link.
    case complete
    /// The origin has switched protocols, as the client had asked.
    case upgraded
    /// It broke off, or the client left: nothing more goes to the client.
    case abandoned
  }

  private let connection: ClientConnection
  private let shard: LoopShard
  private let outgoing: OutgoingRequest
  private var record: ExchangeRecord
  private var stage = Stage.unstarted
  /// Bytes of the client's body that the upstream connection has not asked for yet.
  private var upload: [UInt8] = []
  private(set) var requestEnded = false
  private var hasAskedForBody = false
  private var reply = Reply.none
  private var capturesResponse = true
  /// Whether the client's connection may carry another exchange after this one.
  private var persists: Bool
  /// When the first byte came from the origin, or went to it as body.
  private var began: MonotonicInstant?
  /// What passes after a 101.
  private var stream: UpgradedStream?

  init(connection: ClientConnection, shard: LoopShard, record: ExchangeRecord, request: OutgoingRequest, persists: Bool) {
    self.connection = connection
    self.shard = shard
    self.record = record
    outgoing = request
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
    if shard.configuration.keeps(outgoing.head.fields) {
      record.requestBody.append(bytes)
    } else {
      record.requestBody.count(bytes)
    }
    unsafe bytes.withUnsafeBufferPointer { unsafe upload.append(contentsOf: $0) }
    task?.bodyBecameAvailable()
    if !upload.isEmpty { link.pauseReading() }
  }

  func receiveTrailers(_ trailers: HeaderFields) {
    record.requestTrailers = trailers
  }

  func endRequest(at instant: MonotonicInstant) {
    requestEnded = true
    record.marks.move(.requestLastByte, to: instant)
    if outgoing.framing != .none { task?.bodyBecameAvailable() }
  }

  /// Whether bytes of the client's body are outstanding that the origin's connection would take.
  var awaitsBody: Bool { !requestEnded && upload.isEmpty }

  /// Whether the client has been told nothing yet.
  var canBeAnswered: Bool {
    switch reply {
    case .none: true
    case .relaying, .complete, .upgraded, .abandoned: false
    }
  }

  /// The client's body turned out to be malformed.
  func clientBroke(_ failure: ExchangeRecord.Failure, status: Int) {
    record.failure = failure
    persists = false
    switch reply {
    case .none:
      answer(LocalReply(status: status, text: "tapeline: \(failure.message)", proxyError: .requestError))
    case .relaying(.untilClose):
      reply = .abandoned
      connection.reset()
    case .relaying, .complete, .upgraded, .abandoned:
      reply = .abandoned
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
    persists = false
    reply = .abandoned
    if case .delivering = stage { finish(at: .now) } else { cancel() }
  }

  /// A client may leave whenever it likes, but for two promises: its own message, and a response whose length it was told.
  private func noteDeparture() {
    if !requestEnded {
      record.failure = .clientGone(in: "request")
    } else if case .relaying(.length) = reply {
      record.failure = .clientGone(in: reachedPhase)
    } else {
      record.endedByClient = reachedPhase
    }
  }

  /// The phase that the exchange is in. Before the final response's head, whatever has come of it, it is the wait.
  private var reachedPhase: String {
    let phase: TransportError.Phase = if case .delivering = stage { .receive } else { task?.reachedPhase ?? .connect }
    return (record.response == nil && phase == .receive ? .wait : phase).rawValue
  }

  private func cancel() {
    guard case .running(let task) = stage else { return }
    stage = .cancelling(task)
    task.cancel()
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  /// Bytes left for the client.
  func didDeliver(at instant: MonotonicInstant) {
    record.marks.stamp(.deliveredFirst, at: instant)
    record.marks.move(.deliveredLast, to: instant)
    if case .delivering = stage, link.bufferedBytes == 0 { finish(at: instant) }
  }
}

// MARK: - The task

extension ForwardedExchange: TaskOwner {
  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    guard !upload.isEmpty else {
      if requestEnded { return .end }
      askForBody(task)
      return .later
    }
    let chunk = takeUpload(limit: limit)
    // After the whole of the body too: a client that leaves then is noticed by its end.
    if connection.input.isEmpty { link.resumeReading() }
    if !requestEnded { connection.waitForClient(in: self) }
    return .bytes(chunk)
  }

  /// The origin gets the request when all of its body is here. A client that waits to be told so is told by us, who must (RFC 9110 10.1.1).
  private func askForBody(_ task: SessionTask) {
    guard !hasAskedForBody, task.isGatheringBody, outgoing.head.expectation == .continue else { return }
    hasAskedForBody = true
    link.withOutput { output in
      HeadSerializer.appendStatusLine(status: 100, into: &output)
      HeadSerializer.appendEnd(into: &output)
    }
  }

  /// All that waits, without copying it, unless it is more than `limit`.
  private func takeUpload(limit: Int) -> [UInt8] {
    guard upload.count > limit else {
      defer { upload = [] }
      return upload
    }
    defer { upload.removeFirst(limit) }
    return Array(upload.prefix(limit))
  }

  func taskTrailers(_ task: SessionTask) -> HeaderFields? { record.requestTrailers }

  func task(_ task: SessionTask, didSendBody count: Int) {
    if began == nil { began = .now }
  }

  // MARK: The response

  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    record.informational.append(head)
    guard case .none = reply, outgoing.head.version >= .http11 else { return }
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
    capturesResponse = shard.configuration.keeps(head.fields)
    guard case .none = reply else { return .cancel }
    let endsWithOrigin = connection.endsWithOrigin
    let framing = ResponseForwarding.framing(
      of: task.responseFraming ?? .none, to: outgoing.head.version, endsConnection: endsWithOrigin)
    // A request that is still coming in would be read as the next one's beginning, should the client stop sending it.
    persists = persists && framing != .untilClose && requestEnded
    if endsWithOrigin { persists = persists && task.connectionPersists }
    var forwarding = forwarding(framing: framing, persists: persists)
    forwarding.date = shard.date.text(at: task.metrics.marks[.responseHeadEnd] ?? .now)
    link.withOutput { forwarding.append(head, into: &$0) }
    record.responseForwarding = forwarding
    reply = .relaying(framing)
    if endsAtWill(task, head) { connection.engage(.stream, at: task.metrics.marks[.responseHeadEnd]) }
    return .proceed
  }

  /// Whether the response is a stream: of a type that goes on until somebody has had enough, and without a length, which would be its end.
  private func endsAtWill(_ task: SessionTask, _ head: ResponseHead) -> Bool {
    switch task.responseFraming {
    case .chunked, .untilClose: head.fields.first(of: .contentType).map(ProxyConfiguration.isStream) ?? false
    case .length, .some(.none), nil: false
    }
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    if let stream { return relayFromOrigin(bytes, at: instant, noting: stream) }
    guard case .relaying(let framing) = reply else { return .more }
    note(bytes, of: task)
    switch framing {
    case .chunked:
      link.withOutput { ChunkedEncoder.appendChunkHeader(size: bytes.count, into: &$0) }
      link.write(bytes)
      link.withOutput { ChunkedEncoder.appendChunkEnd(into: &$0) }
    case .length, .untilClose:
      link.write(bytes)
    case .none:
      break
    }
    return link.isAboveHighWater ? .pause : .more
  }

  /// Captures a piece of the body and, for a response whose length was not announced, when it came.
  private func note(_ bytes: Span<UInt8>, of task: SessionTask) {
    if capturesResponse { record.responseBody.append(bytes) } else { record.responseBody.count(bytes) }
    guard record.chunks.count < Self.chunkLimit, let instant = task.metrics.marks[.responseLastByte] else { return }
    switch task.responseFraming {
    case .chunked, .untilClose: record.chunks.append(ExchangeRecord.Chunk(instant: instant, size: bytes.count))
    case .length, .some(.none), nil: break
    }
  }

  private static let chunkLimit = 1_000

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    record.responseTrailers = trailers
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
    // What we have cancelled did not fail.
    let failure = if case .cancelling = stage { TransportError?.none } else { error }
    stage = .delivering(since: now)
    if let failure {
      breakOff(failure, tlsFailure, at: now)
    } else if case .relaying(let framing) = reply {
      if framing == .chunked {
        let trailers = record.responseTrailers
        let removed = trailers.flatMap { _ in record.response.map { HopByHopFields(of: $0.fields) } }
        link.withOutput { ChunkedEncoder.appendLastChunk(trailers: trailers, without: removed, into: &$0) }
      }
      reply = .complete
    }
    switch reply {
    case .none, .abandoned, .upgraded:
      finish(at: now)
    case .relaying, .complete:
      if link.bufferedBytes == 0 { finish(at: now) }
    }
  }

  /// The task failed: tells the client, if it was told nothing yet, or makes sure it cannot take what it has for the whole.
  private func breakOff(_ error: TransportError, _ tlsFailure: TLSError?, at now: MonotonicInstant) {
    record.marks.stamp(.failed, at: now)
    // A client that has left has cancelled the task.
    if !record.isBrokenOff { record.failure = ExchangeRecord.Failure(error) }
    switch reply {
    case .none:
      persists = persists && requestEnded
      answer(LocalReply(error, tls: tlsFailure, host: outgoing.route.serverName))
    case .relaying(.untilClose):
      reply = .abandoned
      connection.reset()
    case .relaying, .upgraded:
      persists = false
      reply = .abandoned
    case .complete, .abandoned:
      break
    }
  }

  private func answer(_ local: LocalReply) {
    record.localStatus = local.status
    connection.send(local, version: outgoing.head.version, persist: persists, hasBody: outgoing.head.method != .head)
    reply = .complete
  }

  /// The exchange as far as it has come; `nil` when it is recorded.
  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? {
    if case .recorded = stage { return nil }
    var record = record
    record.inFlightAt = instant
    if let task { record.adoptWithTLS(task.metrics) }
    record.client.tcp = link.recentTCPInfo(at: instant).map { ExchangeRecord.TCPStatistics($0) }
    if let stream { record.adopt(stream) }
    return record
  }

  /// Records the exchange, once, and lets the client's connection go on.
  private func finish(at instant: MonotonicInstant) {
    guard case .delivering(let completed) = stage else { return }
    stage = .recorded
    record.client.tcp = link.recentTCPInfo(at: instant).map { ExchangeRecord.TCPStatistics($0) }
    record.timeline = Timeline(
      startedAt: record.started, firstByteAt: began, completedAt: completed, serializedAt: instant)
    if let stream { note(stream) }
    if record.isBrokenOff { record.marks.stamp(.failed, at: instant) }
    shard.record(record)
    let outlivesOrigin = record.localStatus != nil || connection.outlivesOrigin
    connection.exchangeDidEnd(persist: persists && requestEnded && outlivesOrigin)
  }
}

// MARK: - After a 101

/// Bytes both ways, untouched, with back-pressure and half-close in each direction (RFC 9110 7.8).
extension ForwardedExchange {
  /// Tells the client. From here on the connections carry no messages.
  private func switchProtocols(_ head: ResponseHead) -> ResponseDisposition {
    guard case .none = reply else { return .cancel }
    var forwarding = forwarding(framing: .none, persists: true)
    forwarding.forwardsUpgrade = true
    link.withOutput { forwarding.append(head, into: &$0) }
    record.responseForwarding = forwarding
    reply = .upgraded
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

  private func note(_ stream: UpgradedStream) {
    record.adopt(stream)
    guard !record.isBrokenOff else { return }
    switch stream.dropper {
    case .toServer?: record.endedByClient = TransportError.Phase.receive.rawValue
    case .toClient?: record.failure = .webSocketDropped
    case nil: break
    }
  }
}

extension ExchangeRecord {
  /// Takes over what has passed after the 101.
  fileprivate mutating func adopt(_ stream: UpgradedStream) {
    relayed = stream.relayed
    webSocketMessages = stream.messages
    webSocketMessageCount = stream.messageCount
  }
}
