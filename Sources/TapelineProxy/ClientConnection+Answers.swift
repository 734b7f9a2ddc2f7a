internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// Requests that the proxy answers itself, because they are wrong, unfinished, or for it.
extension ClientConnection {
  func refuse(_ error: HTTPParseError, at instant: MonotonicInstant) {
    switch phase {
    case .awaitingRequest:
      var record = newRecord(nil, at: instant)
      record.failure = ExchangeRecord.Failure(error)
      answer(
        record, LocalReply(status: error.status, text: "tapeline: \(error.message)", proxyError: "http_request_error"),
        persist: false)
    case .exchanging(let exchange):
      exchange.clientBroke(ExchangeRecord.Failure(error), status: error.status)
    case .tunnelling, .gathering, .answered, .greeting, .securing, .upgraded, .closed:
      close()
    }
  }

  func reject(_ record: ExchangeRecord, status: Int, kind: String, _ message: String) {
    var record = record
    record.failure = ExchangeRecord.Failure(origin: "client", phase: "request", kind: kind, message: message)
    answer(record, LocalReply(status: status, text: "tapeline: \(message)", proxyError: nil), persist: false)
  }

  /// Whether the client may use the proxy, and be taken to where `route` leads. If not, it has been answered.
  func admit(_ record: ExchangeRecord, toward route: Route) -> Bool {
    guard let head = record.request else { preconditionFailure("a request that has begun has a head") }
    let access = shard.configuration.access
    guard access.admits(head.fields.values(of: .proxyAuthorization)) else {
      demandCredentials(record, isTunnel: head.method == .connect)
      return false
    }
    guard let refusal = access.refusal(toward: route) else { return true }
    deny(record, refusal.kind, refusal.message(toward: route), proxyError: refusal.proxyStatusType)
    return false
  }

  /// RFC 9110 15.5.4.
  private func deny(_ record: ExchangeRecord, _ kind: String, _ message: String, proxyError: String) {
    var record = record
    record.failure = ExchangeRecord.Failure(origin: "client", phase: "request", kind: kind, message: message)
    answer(record, LocalReply(status: 403, text: "tapeline: \(message)", proxyError: proxyError), persist: false)
  }

  /// RFC 9110 15.5.8.
  private func demandCredentials(_ record: ExchangeRecord, isTunnel: Bool) {
    var record = record
    record.failure = ExchangeRecord.Failure(
      origin: "client", phase: "request", kind: "proxy-authentication-required",
      message: "the proxy's name and password were missing or wrong")
    var reply = LocalReply(
      status: 407, text: "tapeline: this proxy asks for a name and a password (--auth).", proxyError: nil)
    reply.fields = [("Proxy-Authenticate", ProxyCredentials.challenge)]
    answer(record, reply, persist: !isTunnel && http.mayPersist && http.framing == .none)
  }

  func answerLocally(_ record: ExchangeRecord) {
    guard let head = record.request else { preconditionFailure("a request that has begun has a head") }
    let persists = http.mayPersist && http.framing == .none
    if let refusal = LocalAudience.refusal(of: head, hostName: shard.configuration.hostName) {
      return answer(record, refusal, persist: persists)
    }
    let refusalOfNumbers = LocalAudience.refusalOfNumbers(to: head, from: reach, shard.configuration.access)
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

  /// Host and port under which the client has found us: what it is to put into its settings.
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

  /// Answers a request that no exchange was begun for, and records it.
  func answer(_ record: ExchangeRecord, _ reply: LocalReply, persist: Bool) {
    var record = record
    record.localStatus = reply.status
    let now = MonotonicInstant.now
    record.marks.stamp(record.failure == nil ? .deliveredFirst : .failed, at: now)
    record.timeline = .local(from: record.marks[.requestFirstByte] ?? now, to: now)
    send(reply, version: record.request?.version ?? .http11, persist: persist, hasBody: record.request?.method != .head)
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
    record.failure = .clientTimedOut(in: "request")
    answer(
      record, LocalReply(status: 408, text: "tapeline: the request head did not arrive in time", proxyError: nil), persist: false)
  }

  /// Records a request of which not even the head came.
  func recordUnfinishedRequest(_ failure: ExchangeRecord.Failure) {
    let now = MonotonicInstant.now
    var record = newRecord(nil, at: now)
    record.failure = failure
    shard.recordLocal(&record, at: now)
  }
}
