internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// What the client does while its exchange is under way.
extension ProxyTaskDelegate {
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
    forwarded?.cancel()
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
    if taskEnded { finish(at: .now) } else { forwarded?.cancel() }
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

  /// The phase that is under way. Before the final response's head, whatever has come of it, it is the wait.
  private var reachedPhase: String {
    let phase = taskEnded ? .receive : task?.reachedPhase ?? .connect
    return (record.response == nil && phase == .receive ? .wait : phase).rawValue
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  /// Bytes left for the client.
  func didDeliver(at instant: MonotonicInstant) {
    record.marks.stamp(.deliveredFirst, at: instant)
    record.marks.move(.deliveredLast, to: instant)
    if taskEnded, link.bufferedBytes == 0 { finish(at: instant) }
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
}
