internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Stands between a task and its session's delegate where the session is recorded: passes everything on, and makes a record of
/// each exchange. Without a recorder there is no such object. Loop-bound.
final class RecordedTask {
  private let log: SessionLog
  private let listener: any SessionTaskEvents
  private var exchange: RecordedExchange?
  /// The earlier exchanges, whose responses the transport has not left.
  private var superseded: [RecordedExchange] = []

  init(log: SessionLog, listener: any SessionTaskEvents) {
    self.log = log
    self.listener = listener
  }

  private func record(_ superseded: RecordedExchange, of task: SessionTask) {
    if let draft = superseded.end(in: task.metrics) { log.record(draft) }
  }

  private func recordLast(of task: SessionTask, _ error: TransportError?) {
    // The transport may still read some of them: a reader of the log waits for the task, not for that.
    for exchange in superseded { record(exchange, of: task) }
    superseded = []
    guard let exchange = exchange.take() else { return }
    if case .exchange(let request) = task.work { exchange.outgoing = request }
    log.record(exchange.end(with: error, of: task))
  }
}

extension RecordedTask: SessionTaskEvents {
  func taskDidOpenStream(_ task: SessionTask) { listener.taskDidOpenStream(task) }

  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    exchange?.receive(informational: head)
    listener.task(task, didReceiveInformational: head)
  }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    exchange?.receive(head, of: task)
    return listener.task(task, didReceive: head)
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    exchange?.receive(bytes, of: task, at: instant)
    return listener.task(task, didReceive: bytes, at: instant)
  }

  func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand {
    listener.task(task, didForward: count, at: instant)
  }

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    exchange?.draft.record.responseTrailers = trailers
    listener.task(task, didReceiveTrailers: trailers)
  }

  func taskDidEndResponse(_ task: SessionTask) { listener.taskDidEndResponse(task) }

  func taskDidReceiveEnd(_ task: SessionTask) {
    exchange?.noteEndOfReceiving()
    listener.taskDidReceiveEnd(task)
  }

  func taskDidUpgrade(_ task: SessionTask) {
    exchange?.upgrade()
    listener.taskDidUpgrade(task)
  }

  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    let chunk = listener.taskNeedsBody(task, limit: limit)
    if case .bytes(let bytes) = chunk { exchange?.send(bytes) }
    return chunk
  }

  func taskTrailers(_ task: SessionTask) -> HeaderFields? {
    let trailers = listener.taskTrailers(task)
    exchange?.draft.record.requestTrailers = trailers
    return trailers
  }

  func task(_ task: SessionTask, didSendBody count: Int) {
    exchange?.noteTraffic()
    listener.task(task, didSendBody: count)
  }

  func taskCanSendMore(_ task: SessionTask) { listener.taskCanSendMore(task) }

  func taskWillBegin(_ task: SessionTask) {
    guard case .exchange(let request) = task.work else { return }
    if let exchange {
      exchange.leave(task)
      superseded.append(exchange)
    }
    exchange = RecordedExchange(of: request, attemptsBefore: task.metrics.attempts, bodyLimit: log.bodyLimit)
  }

  func task(_ task: SessionTask, didLeaveAttempt attempt: Int) {
    guard let index = superseded.firstIndex(where: { $0.attempts == attempt }) else { return }
    record(superseded.remove(at: index), of: task)
  }

  func task(_ task: SessionTask, willSend bytes: Span<UInt8>) { exchange?.noteSent(bytes) }

  func taskWillFinishSending(_ task: SessionTask) { exchange?.noteEndOfSending() }

  func taskDidGatherMetrics(_ task: SessionTask) { listener.taskDidGatherMetrics(task) }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    recordLast(of: task, error)
    listener.task(task, didCompleteWith: error)
  }
}
