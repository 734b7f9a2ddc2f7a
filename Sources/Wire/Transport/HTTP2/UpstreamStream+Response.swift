internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTime

/// Tells the task what the origin sends on its stream.
extension UpstreamStream {
  /// Bytes of the stream's frames came.
  func didReceive(_ piece: ReceivedFrames.Piece) {
    (task ?? drained?.task)?.metrics.bytesReceived += UInt64(piece.bytes)
    if let instant = piece.headBegan { headBegan = instant }
  }

  func receiveInterim(_ head: HTTP2ResponseHead, at instant: MonotonicInstant) {
    guard let task else { return }
    noteBegin(of: task, at: instant)
    task.metrics.bytes.responseHead += UInt64(head.wireSize)
    // The server is at work (RFC 9110 15.2): it has the full time again for the next head.
    if machine.exchange?.requestEnded == true { wait(responseTimeout) }
    task.didReceiveInformational(head.head)
  }

  func receive(_ head: HTTP2ResponseHead, endsStream: Bool, at instant: MonotonicInstant) {
    guard let task else { return }
    noteBegin(of: task, at: instant)
    machine.note { $0.endHead() }
    task.metrics.marks.stamp(.responseFirstByte, at: headBegan ?? instant)
    task.metrics.marks.stamp(.responseHeadEnd, at: instant)
    task.metrics.bytes.responseHead += UInt64(head.wireSize)
    task.metrics.status = head.status
    task.http2Response = head
    task.responseFraming = head.http1Framing(to: request.head.method, endsStream: endsStream)
    task.connectionPersists = connection.takesRequests
    let upgrades = request.isExtendedConnect && HTTPStatus.isSuccessful(head.status)
    if upgrades {
      wait(nil)
    } else if machine.exchange?.requestEnded == true || content.isPending {
      wait(idleTimeout)
    }
    switch task.didReceive(head.head) {
    case .proceed:
      guard upgrades, self.task === task, machine.isExchanging else { break }
      machine.becomeStream()
      task.didUpgrade()
    case .cancel:
      task.cancel()
    case .later:
      hold(head, at: instant)
    }
  }

  private func noteBegin(of task: SessionTask, at instant: MonotonicInstant) {
    let began = headBegan ?? instant
    machine.note { $0.beginResponse(at: began) }
    responseDidBegin()
    task.metrics.answerDidBegin(at: began, readAt: connection.lastRead)
    task.metrics.marks.move(.responseLastByte, to: instant)
  }

  /// Content came: borrowed, and counted against the windows until it is consumed.
  func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    if let task {
      task.metrics.bytes.responseBody += UInt64(bytes.count)
      task.metrics.marks.move(.responseLastByte, to: instant)
    } else if let drained {
      drained.task.metrics.didDrain(bytes.count, of: drained.attempt, at: instant)
    }
    switch machine.inputAction {
    case .deliver, .stream:
      deliver(bytes, at: instant)
    case .hold(let held):
      held.append(bytes)
    case .drain(let left):
      connection.consumeAll(on: id)
      if bytes.count <= left {
        machine.drain(left: left - UInt64(bytes.count))
      } else {
        machine.end()
        connection.abandon(self, .cancel)
      }
    case .drop:
      connection.consumeAll(on: id)
    }
  }

  private func deliver(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task else { return }
    let demand = task.didReceive(bytes, at: instant)
    guard self.task === task else { return }
    switch demand {
    case .more where !isPaused:
      connection.consumeAll(on: id)
      if let exchange = machine.exchange, exchange.requestEnded || content.isPending { wait(idleTimeout) }
    case .more, .pause:
      isPaused = true
      wait(nil)
      if receiveStallBegan == nil, connection.hasFilledWindow(of: id) { receiveStallBegan = instant }
    }
  }

  func receive(_ trailers: HTTP2Trailers, at instant: MonotonicInstant) {
    guard let task else { return }
    task.metrics.marks.move(.responseLastByte, to: instant)
    switch machine.inputAction {
    case .deliver: task.didReceiveTrailers(trailers.fields)
    case .hold(let held): held.trailers = trailers.fields
    case .drain, .stream, .drop: break
    }
  }

  func receiveEnd(at instant: MonotonicInstant) {
    guard let task else { return wait(nil) }
    task.metrics.marks.move(.responseLastByte, to: instant)
    switch machine.inputAction {
    case .deliver:
      endResponse(of: task)
    case .hold(let held):
      held.isComplete = true
    case .stream:
      machine.endStreamInput()
      task.didReceiveEnd()
      endStreamIfComplete()
    case .drain, .drop:
      break
    }
  }

  /// The response is complete. Whether an origin that has answered early wants the rest of a client's request, is for the two to
  /// say (RFC 9113 8.1); the process's own requests end with their answers.
  private func endResponse(of task: SessionTask) {
    machine.note { $0.endResponse() }
    connection.consumeAll(on: id)
    if request.sender == .client, machine.exchange?.isAnsweredEarly == true {
      wait(nil)
      task.didEndResponse()
      if self.task === task { pumpBody() }
    } else {
      complete(task)
    }
  }

  /// Both messages have ended, or nobody waits for the rest of the request.
  func complete(_ task: SessionTask) {
    let isClean = machine.exchange?.leavesConnectionClean ?? false
    leave()
    if !isClean { connection.abandon(self, .cancel) }
    task.complete(with: nil)
  }

  func endStreamIfComplete() {
    guard machine.streamIsComplete, let task else { return }
    connection.consumeAll(on: id)
    leave()
    task.complete(with: nil)
  }

  // MARK: Decisions

  /// Keeps what comes after the head until the task has decided.
  private func hold(_ head: HTTP2ResponseHead, at instant: MonotonicInstant) {
    guard task != nil, machine.hold(HeldResponse(status: head.status, at: instant)) else { return }
    wait(nil)
    if let decision = machine.takeEarlyDecision() { decide(decision) }
  }

  func proceed(with held: HeldResponse, of task: SessionTask) {
    machine.proceed()
    let bytes = held.bytes
    if !bytes.isEmpty { deliver(bytes.span, at: held.instant) }
    guard self.task === task else { return }
    if let trailers = held.trailers { task.didReceiveTrailers(trailers) }
    guard self.task === task else { return }
    if held.isComplete { endResponse(of: task) } else { pumpBody() }
  }

  // MARK: Early ends

  /// The stream ended before its messages were complete.
  func receiveReset(_ code: HTTP2ErrorCode, by resetter: HTTP2Resetter) {
    guard let task else { return wait(nil) }
    switch resetter {
    case .peer:
      task.metrics.stream?.reset = StreamMetrics.Reset(code: code, who: .origin)
      // The origin has answered, and wants no more of the request (RFC 9113 8.1).
      if code == .noError, machine.exchange?.isAnsweredEarly == true {
        leave()
        return task.complete(with: nil)
      }
      if code == .refusedStream {
        // Before its limit was known, we may have opened too many; otherwise the origin wants no more here.
        if knewLimit { connection.stopTakingRequests() }
        if repeats() { return }
      }
      if code == .http11Required, repeats(offering: .http1) { return }
      fail(.reset(by: code, in: machine.reached))
    case .goAway, .unsent:
      if repeats(offering: connection.requiresHTTP1 ? .http1 : nil) { return }
      fail(.unprocessed(code, in: machine.reached))
    }
  }

  /// The origin broke a rule, and we have reset the stream.
  func refuse(_ violation: HTTP2Violation) {
    task?.metrics.stream?.reset = StreamMetrics.Reset(code: violation.code, who: .local)
    fail(.violation(violation, in: machine.reached))
  }
}

/// Failures of streams.
extension TransportError {
  static func reset(by code: HTTP2ErrorCode, in phase: Phase) -> TransportError {
    TransportError(
      origin: .upstream, phase: phase, kind: .streamReset(code), message: "the origin reset the stream: \(code.name)")
  }

  static func unprocessed(_ code: HTTP2ErrorCode, in phase: Phase) -> TransportError {
    TransportError(
      origin: .upstream, phase: phase, kind: .streamReset(code),
      message: "the origin went away before it processed the request, which cannot be sent again")
  }

  static func violation(_ violation: HTTP2Violation, in phase: Phase) -> TransportError {
    let isTooLarge = if case .tooLarge = violation { true } else { false }
    return TransportError(
      origin: .upstream, phase: phase, kind: isTooLarge ? .headTooLarge : .protocolViolation,
      message: "the origin broke a rule of HTTP/2: \(violation.name)", limit: violation.bound.map { .head($0) })
  }

  /// RFC 8441 3.
  static let extendedConnectNotOffered = TransportError(
    origin: .upstream, phase: .send, kind: .protocolViolation,
    message: "the client opens a stream by an extended CONNECT, which the origin does not offer (RFC 8441 3)")
}
