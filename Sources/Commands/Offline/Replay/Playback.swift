internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Gives one answer of a capture to a task: takes the request's body, waits as long as the recorded server took, and sends head
/// and body at the receiver's pace. Loop-bound.
final class Playback: TaskCarrier {
  private enum Stage {
    /// The request's body is still to come.
    case receiving
    case waiting
    /// `offset` is the position in the body; `piece` is the next piece that is due.
    case sending(offset: Int, piece: Int, headSent: MonotonicInstant)
    case ended
  }

  /// It holds its carrier until it has ended.
  private unowned let task: SessionTask
  private let answer: ReplayAnswer
  private let timing: ReplayTiming
  private var stage = Stage.receiving
  private var isPaused = false
  private var timer: Timer?

  /// The most bytes that are handed over at once.
  private static let portion = 64 << 10

  /// While nothing has been answered, the recorded server is awaited.
  var reached: TransportError.Phase {
    switch stage {
    case .receiving: .send
    case .waiting: .wait
    case .sending, .ended: .receive
    }
  }

  init(task: SessionTask, answer: ReplayAnswer, timing: ReplayTiming) {
    self.task = task
    self.answer = answer
    self.timing = timing
  }

  /// Takes the part of the request's body that has come, and goes on after its end.
  func pumpBody() {
    guard case .receiving = stage else { return }
    task.metrics.marks.stamp(.sentFirst, at: .now)
    while true {
      switch task.nextBodyChunk(limit: Self.portion) {
      case .bytes(let bytes): task.didSendBody(bytes.count)
      case .later: return
      case .end:
        task.metrics.marks.stamp(.sentLast, at: .now)
        stage = .waiting
        return wait()
      }
    }
  }

  func resumeReceiving() {
    isPaused = false
    send()
  }

  func cancel(_ task: SessionTask) {
    end(with: .cancelled)
  }

  private func wait() {
    let delay = timing.duration(ofMilliseconds: answer.delayMilliseconds)
    if delay > .zero { rest(until: MonotonicInstant.now.advanced(by: delay)) } else { begin() }
  }

  private func begin() {
    if let failure = answer.failure { return end(with: .recorded(failure)) }
    let now = MonotonicInstant.now
    task.metrics.marks.stamp(.responseFirstByte, at: now)
    task.metrics.marks.stamp(.responseHeadEnd, at: now)
    let method = task.requestHead?.method ?? .get
    let framing: BodyFraming =
      if method == .head || HTTPStatus.forbidsContent(answer.status) {
        .none
      } else {
        // A length would leave no place for trailers in HTTP/1.1 (RFC 9112 7.1.2).
        answer.trailers.isEmpty ? .length(UInt64(answer.body.count)) : .chunked
      }
    task.responseFraming = framing
    stage = .sending(offset: framing == .none ? answer.body.count : 0, piece: 0, headSent: now)
    switch task.didReceive(ResponseHead(answer, framing: framing)) {
    case .proceed: send()
    case .cancel: end(with: .cancelled)
    case .later: preconditionFailure("who relays an answer decides on it at once")
    }
  }

  private func send() {
    guard case .sending(var offset, var piece, let headSent) = stage else { return }
    let body = answer.body
    while !isPaused, offset < body.count {
      let current = answer.pieces[piece]
      let due = headSent.advanced(by: timing.duration(ofMilliseconds: current.delayMilliseconds))
      guard due <= .now else { return rest(until: due) }
      let end = min(current.range.upperBound, offset + Self.portion)
      isPaused = task.didReceive(body.span.extracting(offset..<end), at: .now) == .pause
      // The receiver may have given up.
      guard case .sending = stage else { return }
      offset = end
      if offset == current.range.upperBound { piece += 1 }
      stage = .sending(offset: offset, piece: piece, headSent: headSent)
    }
    guard offset == body.count else { return }
    let end = headSent.advanced(by: timing.duration(ofMilliseconds: answer.endDelayMilliseconds))
    guard end <= .now else { return rest(until: end) }
    if task.responseFraming == .chunked { task.didReceiveTrailers(HeaderFields(answer.trailers.map { ($0.name, $0.value) })) }
    task.metrics.marks.stamp(.responseLastByte, at: .now)
    self.end(with: nil)
  }

  private func end(with error: TransportError?) {
    if case .ended = stage { return }
    stage = .ended
    timer?.cancel()
    timer = nil
    task.complete(with: error)
  }

  private func rest(until instant: MonotonicInstant) {
    let timer = timer ?? Timer(loop: task.loop) { [unowned self] in restDidEnd() }
    self.timer = timer
    timer.start(at: instant)
  }

  private func restDidEnd() {
    switch stage {
    case .waiting: begin()
    case .sending: send()
    case .receiving, .ended: break
    }
  }
}

extension ResponseHead {
  /// The head of a recorded response, for a body with new framing.
  fileprivate init(_ answer: ReplayAnswer, framing: BodyFraming) {
    var fields = HeaderFields()
    for field in answer.fields { fields.append(name: field.name, value: field.value) }
    if case .length(let length) = framing { fields.append(name: "Content-Length", value: "\(length)") }
    self.init(status: answer.status, reason: answer.reason, fields: fields)
  }
}

extension TransportError {
  /// An exchange that failed in the capture fails again.
  fileprivate static func recorded(_ message: String) -> TransportError {
    TransportError(origin: .upstream, phase: .wait, kind: .closed, message: "as recorded: \(message)")
  }
}
