internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineSystem
internal import TapelineTime
internal import TapelineTransport

/// One exchange of a task whose session is recorded, from its request to its record. Loop-bound.
///
/// The program is its own client: what it asks for is whole when the exchange begins, and what comes is delivered at once.
final class RecordedExchange {
  let draft: RecordDraft
  /// As it goes out: the transport may have found a length meanwhile.
  var outgoing: OutgoingRequest
  private let began: MonotonicInstant
  /// When the first byte came from the server, or went to it as body.
  private var firstTraffic: MonotonicInstant?
  /// The response as it came in HTTP/2.
  private var http2Response: HTTP2ResponseHead?
  /// The stream after a 101.
  private var stream: UpgradedStream?
  /// Attempts of the task before this exchange, and with it once it was left.
  private let attemptsBefore: Int
  private(set) var attempts = 0

  init(of request: OutgoingRequest, attemptsBefore: Int, bodyLimit: Int) {
    began = .now
    outgoing = request
    self.attemptsBefore = attemptsBefore
    var marks = TimelineMarks()
    marks.stamp(.requestFirstByte, at: began)
    marks.stamp(.requestHeadEnd, at: began)
    marks.stamp(.requestLastByte, at: began)
    draft = RecordDraft(
      id: ProcessNumber.nextExchange(), client: ExchangeRecord.Peer(connectionID: 0, address: "", port: 0, isReused: false),
      door: .library, request: nil, bodyLimit: bodyLimit, marks: marks)
  }

  // MARK: Events

  func send(_ bytes: [UInt8]) {
    draft.record.requestBody.append(bytes.span)
    draft.record.marks.move(.requestLastByte, to: .now)
  }

  func noteTraffic() {
    if firstTraffic == nil { firstTraffic = .now }
  }

  func receive(informational head: ResponseHead) {
    draft.record.informational.append(head)
  }

  func receive(_ head: ResponseHead, of task: SessionTask) {
    if case .exchange(let request) = task.work { outgoing = request }
    if firstTraffic == nil { firstTraffic = task.metrics.marks[.responseFirstByte] ?? .now }
    draft.record.response = head
    http2Response = task.http2Response
  }

  func receive(_ bytes: Span<UInt8>, of task: SessionTask, at instant: MonotonicInstant) {
    let now = MonotonicInstant.now
    draft.record.marks.stamp(.deliveredFirst, at: now)
    draft.record.marks.move(.deliveredLast, to: now)
    if let stream { return stream.noteToClient(bytes, at: instant) }
    draft.record.responseBody.append(bytes)
    switch task.responseFraming {
    case .chunked, .untilClose: draft.record.arrivals.append(instant, bytes.count)
    case .length, .some(.none), nil: break
    }
  }

  func upgrade() {
    let isWebSocket =
      outgoing.isExtendedConnect || draft.record.response?.fields.listContains(token: "websocket", in: .upgrade) == true
    var limits = WebSocketObserver.Limits()
    limits.bytesPerText = draft.record.responseBody.limit
    limits.bytesPerBinary = draft.record.responseBody.limit
    stream = UpgradedStream(webSocketLimits: isWebSocket ? limits : nil)
  }

  func noteSent(_ bytes: Span<UInt8>) { stream?.noteToServer(bytes, at: .now) }

  func noteEndOfSending() { stream?.clientDidEnd() }

  func noteEndOfReceiving() { stream?.serverDidEnd() }

  // MARK: The end

  /// The task goes on with another exchange.
  func leave(_ task: SessionTask) {
    attempts = task.metrics.attempts
    noteStream(of: task)
  }

  /// The record of an exchange that the task has left; `nil` if it was never begun.
  func end(in metrics: TaskMetrics) -> RecordDraft? {
    let transactions = metrics.transactions
    guard attempts > attemptsBefore, attempts <= transactions.count else { return nil }
    let transaction = transactions[attempts - 1]
    draft.lend { record in
      record.adopt(transaction, attempts: attempts - attemptsBefore)
      // Nobody was given its content, which is read only so that the connection can be used again.
      if record.responseBody.size == 0 { record.responseBody.count(transaction.responseBodyBytes) }
    }
    finish(at: transaction.marks[.responseLastByte] ?? transaction.marks[.responseHeadEnd] ?? .now)
    return draft
  }

  /// The record of the exchange with which the task ended.
  func end(with error: TransportError?, of task: SessionTask) -> RecordDraft {
    let now = MonotonicInstant.now
    noteStream(of: task)
    draft.lend { record in
      var metrics = task.metrics
      record.adoptWithTLS(&metrics)
      record.attempts = task.metrics.attempts - attemptsBefore
      if let stream { record.adopt(stream) }
      guard let error else { return }
      record.marks.stamp(.failed, at: now)
      if error.kind == .cancelled {
        record.endedByClient = record.marks.reachedPhase
      } else {
        record.failure = ExchangeRecord.Failure(error, option: nil)
      }
    }
    if stream?.dropper == .toClient, !draft.record.isBrokenOff { draft.record.failure = .webSocketDropped }
    finish(at: now)
    return draft
  }

  private func noteStream(of task: SessionTask) {
    if let stream = task.metrics.stream { draft.record.note(stream, response: http2Response) }
  }

  private func finish(at instant: MonotonicInstant) {
    draft.lend { record in
      record.describe(outgoing)
      record.timeline = Timeline(startedAt: began, firstByteAt: firstTraffic, completedAt: instant, serializedAt: instant)
    }
  }
}

extension ExchangeRecord {
  /// The measurements of a transaction that another one followed.
  fileprivate mutating func adopt(_ transaction: TransactionMetrics, attempts: Int) {
    marks.adopt(.queued ... .responseLastByte, from: transaction.marks)
    server = transaction.connection.map { Peer($0) }
    if let handshake = transaction.handshake { serverTLS = TLSDetails(handshake) }
    self.attempts = attempts
  }

  /// The request as it went out, in the words of its version of HTTP.
  fileprivate mutating func describe(_ outgoing: OutgoingRequest) {
    let route = outgoing.route
    let origin = ImpliedOrigin(scheme: route.security == .none ? .http : .https, authority: route.authority)
    guard let details = http2 else {
      request =
        OriginatedRequest.sent(
          outgoing.head, framing: outgoing.framing, upgrade: outgoing.allowsUpgrade ? "websocket" : nil) ?? outgoing.head
      implied = origin
      return
    }
    let list = outgoing.headerList(scheme: origin.scheme, authority: origin.authority)
    http2 = HTTP2Details(
      clientStream: nil, stream: details.stream, request: list, response: details.response)
    do {
      request = try HTTP2RequestHead(list, offersProtocols: true).head()
    } catch {
      request = outgoing.head
    }
  }
}

extension TimelineMarks {
  /// The phase that the exchange had reached.
  fileprivate var reachedPhase: ExchangeRecord.Phase {
    if self[.responseHeadEnd] != nil { return .receive }
    if self[.sentLast] != nil { return .wait }
    if self[.sentFirst] != nil { return .send }
    if self[.tlsStart] != nil { return .tls }
    if self[.connectStart] != nil { return .connect }
    return self[.dnsStart] != nil ? .dns : .setUp
  }
}
