internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// The proxy's own leaf among the task delegates: one exchange, relayed both ways with back-pressure and captured on the way.
///
/// The client's body comes in by `receiveBody` and goes up by `taskNeedsBody`; the origin's response comes by the task's events and
/// goes to the client's channel. It ends, and records itself once, when the task has completed and the client has what there was.
///
/// Safety: `@unchecked Sendable` is inherited; everything here is touched on the loop only.
final class ProxyTaskDelegate: UploadTaskDelegate, @unchecked Sendable {
  /// How the response is going.
  private enum Reply {
    /// Nothing was sent to the client yet.
    case none
    case relaying(BodyFraming)
    /// All of it was handed to the channel.
    case complete
    /// It broke off, or the client left: nothing more goes to the client.
    case abandoned
  }

  private let connection: ClientConnection
  private let shard: LoopShard
  private let outgoing: OutgoingRequest
  private var record: ExchangeRecord
  /// Broken when the exchange is recorded.
  private var request: Request?
  /// Octets of the client's body that the upstream connection has not asked for yet.
  private var upload: [UInt8] = []
  private(set) var requestEnded = false
  private var reply = Reply.none
  private var taskEnded = false
  /// Whether the client's connection may carry another exchange after this one.
  private var persists: Bool
  private var capturesResponse = true

  init(connection: ClientConnection, shard: LoopShard, record: ExchangeRecord, request: OutgoingRequest, persists: Bool) {
    self.connection = connection
    self.shard = shard
    self.record = record
    outgoing = request
    self.persists = persists
    super.init(body: .none)
  }

  private var channel: Channel { connection.channel }

  func begin() {
    let request = shard.session.forward(outgoing, with: self)
    self.request = request
    request.resume()
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
    if !upload.isEmpty { channel.pauseReading() }
  }

  func receiveTrailers(_ trailers: HeaderFields) {
    record.requestTrailers = trailers
  }

  func endRequest(at instant: MonotonicInstant) {
    requestEnded = true
    record.marks.move(.requestLastByte, to: instant)
    if outgoing.framing != .none { task?.bodyBecameAvailable() }
  }

  /// The client's body turned out to be malformed.
  func clientBroke(_ failure: ExchangeRecord.Failure, status: Int) {
    record.failure = failure
    persists = false
    switch reply {
    case .none:
      answer(LocalReply(status: status, text: "tapeline: \(failure.message)", proxyError: "http_request_error"))
    case .relaying(.untilClose):
      reply = .abandoned
      connection.reset()
    case .relaying, .complete, .abandoned:
      reply = .abandoned
    }
    request?.cancel()
  }

  /// The client's connection is gone: the upstream work is cancelled.
  func clientDidLeave(_ failure: ExchangeRecord.Failure) {
    if record.failure == nil { record.failure = failure }
    persists = false
    reply = .abandoned
    if taskEnded { finish(at: .now) } else { request?.cancel() }
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  /// Octets left for the client.
  func didDeliver(at instant: MonotonicInstant) {
    record.marks.stamp(.deliveredFirst, at: instant)
    record.marks.move(.deliveredLast, to: instant)
    if taskEnded, channel.bufferedBytes == 0 { finish(at: instant) }
  }

  /// Whether octets of the client's body are outstanding that the origin's connection would take.
  var awaitsBody: Bool { !requestEnded && upload.isEmpty }

  /// Whether the client has been told nothing yet.
  var canBeAnswered: Bool {
    switch reply {
    case .none: true
    case .relaying, .complete, .abandoned: false
    }
  }

  // MARK: To the origin

  override func taskNeedsBody(limit: Int) -> BodyChunk {
    guard !upload.isEmpty else { return requestEnded ? .end : .later }
    let chunk = takeUpload(limit: limit)
    if !requestEnded {
      channel.resumeReading()
      connection.waitForClient(in: self)
    }
    return .bytes(chunk)
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
    channel.withOutput { output in
      ForwardedResponse.append(
        head: response.head, to: outgoing.head.version, requestMethod: outgoing.head.method, framing: .none, persists: true,
        date: "",
        into: &output)
    }
  }

  override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    let head = response.head
    record.response = head
    capturesResponse = shard.configuration.keeps(head.fields)
    guard case .none = reply else { return .cancel }
    let framing = ForwardedResponse.framing(of: task?.responseFraming ?? .none, to: outgoing.head.version)
    // A request that is still coming in would be read as the next one's beginning, should the client stop sending it.
    persists = persists && framing != .untilClose && requestEnded
    let persists = persists
    let date = shard.date.text(at: task?.metrics.marks[.responseHeadEnd] ?? .now)
    channel.withOutput { output in
      ForwardedResponse.append(
        head: head, to: outgoing.head.version, requestMethod: outgoing.head.method, framing: framing, persists: persists,
        date: date,
        into: &output)
    }
    reply = .relaying(framing)
    return .proceed
  }

  override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    guard case .relaying(let framing) = reply else { return .more }
    note(bytes)
    switch framing {
    case .chunked:
      channel.withOutput { ChunkedEncoder.appendChunkHeader(size: bytes.count, into: &$0) }
      channel.write(bytes)
      channel.withOutput { ChunkedEncoder.appendChunkEnd(into: &$0) }
    case .length, .untilClose:
      channel.write(bytes)
    case .none:
      break
    }
    return channel.isAboveHighWater ? .pause : .more
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

  override func taskDidComplete() {
    taskEnded = true
    if let metrics { record.adopt(metrics) }
    if let error = (error as? TapelineError)?.transportError {
      breakOff(error)
    } else if case .relaying(let framing) = reply {
      if framing == .chunked {
        let trailers = record.responseTrailers
        let removed = trailers.flatMap { _ in record.response.map { HopByHopFields(of: $0.fields) } }
        channel.withOutput { ChunkedEncoder.appendLastChunk(trailers: trailers, without: removed, into: &$0) }
      }
      reply = .complete
    }
    switch reply {
    case .none, .abandoned:
      finish(at: .now)
    case .relaying, .complete:
      if channel.bufferedBytes == 0 { finish(at: .now) }
    }
  }

  /// The task failed: tells the client, if it was told nothing yet, or makes sure it cannot take what it has for the whole.
  private func breakOff(_ error: TransportError) {
    let now = MonotonicInstant.now
    record.marks.stamp(.failed, at: now)
    if record.failure == nil { record.failure = ExchangeRecord.Failure(error) }
    switch reply {
    case .none:
      persists = persists && requestEnded
      answer(LocalReply(error))
    case .relaying(.untilClose):
      reply = .abandoned
      connection.reset()
    case .relaying:
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

  // MARK: The end

  /// Records the exchange, once, and lets the client's connection go on.
  private func finish(at instant: MonotonicInstant) {
    guard let request else { return }
    self.request = nil
    record.client.tcp = channel.recentTCPInfo(at: instant).map { ExchangeRecord.TCPStatistics($0) }
    record.timeline = request.timeline(serializedAt: instant)
    if record.failure != nil { record.marks.stamp(.failed, at: instant) }
    shard.record(record)
    connection.exchangeDidEnd(persist: persists && requestEnded)
  }
}
