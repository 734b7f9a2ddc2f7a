internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// The proxy's own leaf among the task delegates: one exchange, relayed both ways with back-pressure and captured on the way.
///
/// The client's body comes in by `receiveBody` and goes up by `taskNeedsBody`; the origin's response comes by the task's events and
/// goes to the client's link. It ends, and records itself once, when the task has completed and the client has what there was.
///
/// Its stored properties belong to this file and its extensions: what the client does (`+Client`), and what follows a 101 (`+Upgrade`).
///
/// Safety: `@unchecked Sendable` is inherited; everything here is touched on the loop only.
final class ProxyTaskDelegate: TaskDelegate, @unchecked Sendable {
  /// How the response is going.
  enum Reply {
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

  let connection: ClientConnection
  let shard: LoopShard
  let outgoing: OutgoingRequest
  var record: ExchangeRecord
  /// Broken when the exchange is recorded.
  var forwarded: Request?
  /// Bytes of the client's body that the upstream connection has not asked for yet.
  var upload: [UInt8] = []
  var requestEnded = false
  var reply = Reply.none
  var taskEnded = false
  private var hasAskedForBody = false
  /// Whether the client's connection may carry another exchange after this one.
  var persists: Bool
  private var capturesResponse = true
  /// What passes after a 101.
  var stream: UpgradedStream?

  init(connection: ClientConnection, shard: LoopShard, record: ExchangeRecord, request: OutgoingRequest, persists: Bool) {
    self.connection = connection
    self.shard = shard
    self.record = record
    outgoing = request
    self.persists = persists
    super.init()
  }

  var link: Link { connection.link }

  func begin() {
    let forwarded = shard.session.forward(outgoing, with: self)
    self.forwarded = forwarded
    forwarded.resume()
  }

  // MARK: To the origin

  override func taskNeedsBody(limit: Int) -> BodyChunk {
    guard !upload.isEmpty else {
      if requestEnded { return .end }
      askForBody()
      return .later
    }
    let chunk = takeUpload(limit: limit)
    // Behind the whole of the body too: a client that leaves then is noticed by its end.
    if connection.input.isEmpty { link.resumeReading() }
    if !requestEnded { connection.waitForClient(in: self) }
    return .bytes(chunk)
  }

  /// The origin gets the request when all of its body is here. A client that waits to be told so is told by us, who must (RFC 9110 10.1.1).
  private func askForBody() {
    guard !hasAskedForBody, task?.isGatheringBody == true, outgoing.head.expectation == .continue else { return }
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

  override var taskTrailers: HTTPHeaders? { record.requestTrailers.map(HTTPHeaders.init) }

  // MARK: From the origin

  override func taskDidReceiveInformational(_ response: HTTPURLResponse) {
    record.informational.append(response.head)
    guard case .none = reply, outgoing.head.version >= .http11 else { return }
    let forwarding = forwarding(framing: .none, persists: true)
    link.withOutput { forwarding.append(response.head, into: &$0) }
  }

  /// How a response goes on to the client.
  func forwarding(framing: BodyFraming, persists: Bool) -> ResponseForwarding {
    var forwarding = ResponseForwarding(
      to: outgoing.head.method, of: outgoing.head.version, framing: framing, persists: persists)
    forwarding.isPaired = outgoing.connections != nil
    if shard.configuration.namesItself { forwarding.pseudonym = shard.configuration.pseudonym }
    return forwarding
  }

  override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    let head = response.head
    record.response = head
    if head.status == 101 { return switchProtocols(head) }
    capturesResponse = shard.configuration.keeps(head.fields)
    guard case .none = reply else { return .cancel }
    let endsWithOrigin = connection.endsWithOrigin
    let framing = ResponseForwarding.framing(
      of: task?.responseFraming ?? .none, to: outgoing.head.version, endsConnection: endsWithOrigin)
    // A request that is still coming in would be read as the next one's beginning, should the client stop sending it.
    persists = persists && framing != .untilClose && requestEnded
    if endsWithOrigin { persists = persists && task?.connectionPersists == true }
    var forwarding = forwarding(framing: framing, persists: persists)
    forwarding.date = shard.date.text(at: task?.metrics.marks[.responseHeadEnd] ?? .now)
    link.withOutput { forwarding.append(head, into: &$0) }
    record.responseForwarding = forwarding
    reply = .relaying(framing)
    if endsAtWill(head) { connection.engage(.stream, at: task?.metrics.marks[.responseHeadEnd]) }
    return .proceed
  }

  /// Whether the response is a stream: of a type that goes on until somebody has had enough, and without a length, which would be its end.
  private func endsAtWill(_ head: ResponseHead) -> Bool {
    switch task?.responseFraming {
    case .chunked, .untilClose: head.fields.first(of: .contentType).map(ProxyConfiguration.isStream) ?? false
    case .length, .some(.none), nil: false
    }
  }

  override func taskDidUpgrade() {
    beginStream()
  }

  override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    if stream != nil { return relayFromOrigin(bytes) }
    guard case .relaying(let framing) = reply else { return .more }
    note(bytes)
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
  private func note(_ bytes: Span<UInt8>) {
    if capturesResponse { record.responseBody.append(bytes) } else { record.responseBody.count(bytes) }
    guard record.chunks.count < Self.chunkLimit, let instant = task?.metrics.marks[.responseLastByte] else { return }
    switch task?.responseFraming {
    case .chunked, .untilClose: record.chunks.append(ExchangeRecord.Chunk(instant: instant, size: bytes.count))
    case .length, .some(.none), nil: break
    }
  }

  private static let chunkLimit = 1_000

  override func taskDidReceiveTrailers(_ trailers: HTTPHeaders) {
    record.responseTrailers = trailers.fields
  }

  override func taskDidReceiveEnd() {
    stream?.serverDidEnd()
    link.shutdownOutput()
  }

  override func taskCanSendMore() {
    if stream?.clientEnded == false { link.resumeReading() }
  }

  override func taskDidComplete() {
    taskEnded = true
    if let metrics { record.adoptWithTLS(metrics) }
    if let error = (error as? TapelineError)?.transportError {
      breakOff(error)
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
      finish(at: .now)
    case .relaying, .complete:
      if link.bufferedBytes == 0 { finish(at: .now) }
    }
  }

  /// The task failed: tells the client, if it was told nothing yet, or makes sure it cannot take what it has for the whole.
  private func breakOff(_ error: TransportError) {
    let now = MonotonicInstant.now
    record.marks.stamp(.failed, at: now)
    // A client that has left has cancelled the task.
    if !record.isBrokenOff { record.failure = ExchangeRecord.Failure(error) }
    switch reply {
    case .none:
      persists = persists && requestEnded
      answer(LocalReply(error, tls: metrics?.tlsFailure, host: outgoing.route.serverName))
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

  func answer(_ local: LocalReply) {
    record.localStatus = local.status
    connection.send(local, version: outgoing.head.version, persist: persists, hasBody: outgoing.head.method != .head)
    reply = .complete
  }

  /// The exchange as far as it has come; `nil` when it is recorded.
  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? {
    guard forwarded != nil else { return nil }
    var record = record
    record.inFlightAt = instant
    if let metrics = metrics ?? task?.metrics { record.adoptWithTLS(metrics) }
    record.client.tcp = link.recentTCPInfo(at: instant).map { ExchangeRecord.TCPStatistics($0) }
    if let stream { record.adopt(stream) }
    return record
  }

  // MARK: The end

  /// Records the exchange, once, and lets the client's connection go on.
  func finish(at instant: MonotonicInstant) {
    guard let forwarded else { return }
    self.forwarded = nil
    record.client.tcp = link.recentTCPInfo(at: instant).map { ExchangeRecord.TCPStatistics($0) }
    record.timeline = forwarded.timeline(startedAt: record.started, serializedAt: instant)
    if let stream { note(stream) }
    if record.isBrokenOff { record.marks.stamp(.failed, at: instant) }
    shard.record(record)
    let outlivesOrigin = record.localStatus != nil || connection.outlivesOrigin
    connection.exchangeDidEnd(persist: persists && requestEnded && outlivesOrigin)
  }
}
