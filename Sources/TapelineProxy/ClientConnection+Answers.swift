internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// Requests that the proxy answers itself, because they are wrong, unfinished, or meant for the proxy.
extension ClientConnection {
  func refuse(_ error: HTTPParseError, at instant: MonotonicInstant) {
    switch phase {
    case .awaitingRequest:
      refuse(newRecord(nil, at: instant), because: error)
    case .gathering(let record):
      refuse(record, because: error)
    case .exchanging(let exchange):
      exchange.clientBroke(ExchangeRecord.Failure(error), status: error.status)
    case .tunnelling, .answered, .greeting, .securing, .upgraded, .closed:
      close()
    }
  }

  private func refuse(_ record: ExchangeRecord, because error: HTTPParseError) {
    var record = record
    record.failure = ExchangeRecord.Failure(error)
    let reply = LocalReply(status: error.status, text: "tapeline: \(error.message)", proxyError: .requestError)
    answer(record, reply, persist: false)
  }

  /// Answers a request that is well formed, but is not forwarded.
  func reject(
    _ record: ExchangeRecord, status: Int, kind: ExchangeRecord.Failure.Kind, proxyError: ProxyErrorType = .requestError,
    _ message: String
  ) {
    var record = record
    record.failure = ExchangeRecord.Failure(origin: .client, phase: .request, kind: kind, message: message)
    let reply = LocalReply(status: status, text: "tapeline: \(message)", proxyError: proxyError)
    answer(record, reply, persist: canGoOn(after: record))
  }

  /// Whether another request can come on the connection after this one was answered here: no part of this one is still to be
  /// read.
  func canGoOn(after record: ExchangeRecord) -> Bool {
    http.mayPersist && http.framing == .none && record.request?.method != .connect && !shard.isShuttingDown
  }

  /// Whether the client may use the proxy and go where `route` leads. If not, this answers the request.
  func admit(_ record: ExchangeRecord, toward route: Route) -> Bool {
    guard let head = record.request else { preconditionFailure("a request that has begun has a head") }
    let access = shard.configuration.access
    switch access.admission(
      of: head.fields.values(of: .proxyAuthorization), from: peerHost, at: record.marks[.requestHeadEnd] ?? .now)
    {
    case .admitted: break
    case .unknown:
      demandCredentials(record)
      return false
    case .throttled:
      refuseAttempt(record)
      return false
    }
    guard let refusal = access.refusal(toward: route) else { return true }
    reject(record, status: 403, kind: refusal.kind, proxyError: refusal.proxyErrorType, refusal.message(toward: route))
    return false
  }

  /// RFC 9110 15.5.8.
  private func demandCredentials(_ record: ExchangeRecord) {
    var record = record
    record.failure = ExchangeRecord.Failure(
      origin: .client, phase: .request, kind: .proxyAuthenticationRequired,
      message: "the proxy's name and password were missing or wrong")
    var reply = LocalReply(
      status: 407, text: "tapeline: this proxy asks for a name and a password (--auth).", proxyError: .requestDenied)
    reply.fields = [("Proxy-Authenticate", ProxyCredentials.challenge)]
    answer(record, reply, persist: canGoOn(after: record))
  }

  /// RFC 6585 4.
  private func refuseAttempt(_ record: ExchangeRecord) {
    var record = record
    record.failure = ExchangeRecord.Failure(
      origin: .client, phase: .request, kind: .tooManyAttempts,
      message: "too many wrong passwords came from \(peerHost): this one was not checked")
    var reply = LocalReply(
      status: 429, text: "tapeline: too many wrong passwords came from your address; try again in a second.",
      proxyError: .requestDenied)
    reply.fields = [("Retry-After", "1")]
    answer(record, reply, persist: canGoOn(after: record))
  }

  func answerLocally(_ record: ExchangeRecord) {
    guard let head = record.request else { preconditionFailure("a request that has begun has a head") }
    let persists = canGoOn(after: record)
    if let refusal = LocalAudience.refusal(of: head, hostName: shard.configuration.hostName) {
      return answer(record, refusal, persist: persists)
    }
    let refusalOfNumbers = LocalAudience.refusalOfNumbers(
      to: head, from: reach, shard.configuration.access, address: peerHost, at: record.marks[.requestHeadEnd] ?? .now)
    let pages = LocalPages(
      authority: authority(namedBy: head), certificate: shard.configuration.interception?.certificates.authorityCertificate,
      activity: refusalOfNumbers == nil ? shard.metrics.activity : nil)
    switch pages.page(for: head) {
    case .reply(let reply):
      answer(record, reply, persist: persists)
    case .metrics:
      if let refusalOfNumbers { return answer(record, refusalOfNumbers, persist: persists) }
      gatherMetrics(for: record, persist: persists)
    }
  }

  /// The host and port under which the client has found us, for the client's settings.
  private func authority(namedBy head: RequestHead) -> String {
    if case .absolute(let target) = head.target { return target.authority }
    return head.fields.first(of: .host) ?? shard.addresses.first?.description ?? ""
  }

  private func gatherMetrics(for record: ExchangeRecord, persist: Bool) {
    phase = .gathering(record)
    MetricsProbe(source: shard.metrics).gather(on: shard.loop) { [self] text in
      guard case .gathering(let record) = phase else { return }
      answer(record, LocalReply(page: Array(text.utf8), mediaType: PrometheusText.mediaType), persist: persist)
      // The request has ended long ago: it had no content.
      guard case .answered = phase else { return }
      phase = .awaitingRequest
      proceed()
    }
  }

  /// Answers a request for which no exchange was begun, and records it.
  func answer(_ record: ExchangeRecord, _ reply: LocalReply, persist: Bool) {
    var record = record
    record.localStatus = reply.status
    let now = MonotonicInstant.now
    record.marks.stamp(record.failure == nil ? .deliveredFirst : .failed, at: now)
    record.timeline = .local(from: record.started ?? now, to: now)
    let isHead = record.request.map { $0.method == .head } ?? http.refusedHead
    send(reply, version: record.request?.version ?? .http11, persist: persist, hasBody: !isHead)
    shard.record(record)
    engage(.none, at: now)
    if persist {
      phase = .answered
    } else {
      end()
    }
  }

  func send(_ reply: LocalReply, version: HTTPVersion, persist: Bool, hasBody: Bool) {
    let date = shard.date.text(at: .now)
    link.withOutput { reply.append(version: version, persist: persist, hasBody: hasBody, date: date, into: &$0) }
  }

  func refuseUnfinishedHead() {
    var record = newRecord(nil, at: .now)
    record.failure = .clientTimedOut(in: .request, option: "--header-timeout")
    answer(
      record, LocalReply(status: 408, text: "tapeline: the request head did not arrive in time", proxyError: .requestError),
      persist: false)
  }

  /// Records a request whose head did not come completely.
  func recordUnfinishedRequest(_ failure: ExchangeRecord.Failure) {
    let now = MonotonicInstant.now
    var record = newRecord(nil, at: now)
    record.failure = failure
    shard.recordLocal(&record, at: now)
  }
}
