internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
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
    case .tunnelling, .answered, .greeting, .securing, .upgraded, .closed:
      close()
    }
  }

  func reject(_ record: ExchangeRecord, status: Int, kind: String, _ message: String) {
    var record = record
    record.failure = ExchangeRecord.Failure(origin: "client", phase: "request", kind: kind, message: message)
    answer(record, LocalReply(status: status, text: "tapeline: \(message)", proxyError: nil), persist: false)
  }

  func answerLocally(_ record: ExchangeRecord) {
    guard let head = record.request, let authority = shard.addresses.first?.description else { return close() }
    let persists = http.mayPersist && http.framing == .none
    answer(record, LocalPages.reply(to: head, authority: authority), persist: persists)
  }

  /// Answers a request that no exchange was begun for, and records it.
  private func answer(_ record: ExchangeRecord, _ reply: LocalReply, persist: Bool) {
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
