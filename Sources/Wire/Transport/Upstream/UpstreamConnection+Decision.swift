internal import TapelineHTTP
internal import TapelineTime

/// A response that need not be the task's answer: it waits for the task's decision, and may give way to another exchange.
extension UpstreamConnection {
  /// The most bytes read of a response that is not the task's answer, so that its connection can be used again.
  private static let drainLimit: UInt64 = 64 * 1024
  /// The most time spent on that: a new connection would be open by then.
  private static let drainTime = Duration.milliseconds(500)

  /// Keeps the bytes after the head until the task has decided.
  func hold(_ head: ResponseHead, _ rest: Span<UInt8>, at instant: MonotonicInstant) {
    guard let link else { return }
    let held = HeldResponse(status: head.status, at: instant)
    held.append(rest)
    guard machine.hold(held) else { return }
    link.pauseReading()
    wait(nil)
    if let decision = machine.takeEarlyDecision() { decide(decision) }
  }

  func decide(_ decision: ResponseDecision) {
    guard let task, let held = machine.decide(decision) else { return }
    switch decision {
    case .proceed: proceed(with: held, of: task)
    case .cancel: task.cancel()
    case .repeat: beginDraining(held)
    }
  }

  private func proceed(with held: HeldResponse, of task: SessionTask) {
    guard let link else { return }
    machine.proceed()
    link.resumeReading()
    let bytes = held.bytes
    if held.status == 101 {
      return becomeStream(of: task, early: bytes.span, at: held.instant)
    }
    read(bytes.span, of: task, from: link, at: held.instant)
    guard self.task === task, let exchange = machine.activeExchange else { return }
    if machine.inputEnded, !exchange.responseEnded {
      endExchangeAtClose()
    } else {
      pumpBody()
    }
  }

  // MARK: Another exchange

  /// Reads the rest of the response, if that is cheaper than another connection.
  private func beginDraining(_ held: HeldResponse) {
    machine.drain(left: Self.drainLimit)
    guard isWorthDraining else { return endDraining() }
    wait(Self.drainTime)
    link?.resumeReading()
    let bytes = held.bytes
    discard(bytes.span, atMost: Self.drainLimit)
  }

  private var isWorthDraining: Bool {
    guard machine.exchange?.requestEnded == true, http.mayPersist, !machine.inputEnded else { return false }
    return switch http.framing {
    case .none, .chunked: true
    case .length(let length): length <= Self.drainLimit
    case .untilClose: false
    }
  }

  func drain(_ bytes: Span<UInt8>, atMost left: UInt64, at instant: MonotonicInstant) {
    guard let task else { return }
    task.metrics.bytesReceived += UInt64(bytes.count)
    task.metrics.marks.move(.responseLastByte, to: instant)
    discard(bytes, atMost: left)
  }

  private func discard(_ bytes: Span<UInt8>, atMost limit: UInt64) {
    guard bytes.count <= limit else { return endDraining() }
    machine.drain(left: limit - UInt64(bytes.count))
    var offset = 0
    do throws(HTTPParseError) {
      while let event = try http.receive(bytes, from: &offset) {
        switch event {
        case .body(let range):
          task?.metrics.bytes.responseBody += UInt64(range.count)
        case .trailers:
          break
        case .end:
          machine.note { $0.endResponse(isLast: offset < bytes.count) }
          return endDraining()
        case .requestHead, .informational, .responseHead:
          preconditionFailure("a head came inside a response")
        }
      }
    } catch {
      endDraining()
    }
  }

  /// Goes on with the task's next exchange, on this connection if it can still be used.
  func endDraining() {
    guard let task else { return close() }
    leave(task)
    task.didLeave(attempt: task.metrics.attempts)
    transport.begin(task)
  }
}
