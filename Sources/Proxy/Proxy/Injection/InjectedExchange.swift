internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Stands between an exchange that rules change and its task: holds the request back, ends the exchange without its server, edits
/// the heads, and holds the content of the response. Loop-bound.
///
/// Without a rule that matches there is no such object.
final class InjectedExchange {
  private let plan: InjectionPlan
  private let exchange: ForwardedExchange
  private var task: SessionTask?
  private var flow: InjectedFlow
  /// The response whose content is edited, until all of it is here.
  private var content: HeldContent?
  /// Events that came after bytes that are held.
  private var deferred: [Event] = []
  /// The server is not read until bytes have gone on.
  private var isPaused = false
  private var isEnding = false
  private let began = MonotonicInstant.now
  /// The time for which the request was held back, in nanoseconds.
  private var held: Int64 = 0
  /// When the first of the bytes that are held came.
  private var holdingSince: MonotonicInstant?
  private var timer: Timer?

  /// How soon to look again whether the client has its part of a response that is cut off.
  private static let flushing = Duration.milliseconds(1)

  private enum Event {
    case trailers(HeaderFields)
    case endOfResponse
    case endOfStream
    case completion(TransportError?)

    /// Whether the content is complete.
    var endsContent: Bool {
      switch self {
      case .trailers, .endOfResponse, .completion(nil): true
      case .endOfStream, .completion: false
      }
    }
  }

  init(_ plan: InjectionPlan, of exchange: ForwardedExchange) {
    self.plan = plan
    self.exchange = exchange
    flow = plan.flow
  }

  // MARK: The request

  func begin(_ task: SessionTask) {
    self.task = task
    exchange.draft.record.injections = plan.steps.map { step in
      ExchangeRecord.Injection(
        query: step.rule.query, action: step.rule.text, field: step.rule.action.shownField, instant: began,
        nanoseconds: step.delay.nanoseconds)
    }
    if plan.delay > .zero {
      rest(until: began.advanced(by: plan.delay))
    } else if plan.ending == nil {
      exchange.shard.start(task, of: exchange.draft)
    } else {
      // The bytes that came with the request's head are taken first.
      task.loop.enqueueLocal { [self] in goOn() }
    }
  }

  private func goOn() {
    guard let task, task.isUnderWay else { return }
    held = MonotonicInstant.now.nanoseconds(since: began)
    guard let ending = plan.ending else { return exchange.shard.start(task, of: exchange.draft) }
    exchange.draft.record.marks.addHeld(held)
    exchange.end(by: ending)
  }

  private func rest(until instant: MonotonicInstant) {
    let timer = timer ?? Timer(loop: exchange.shard.loop) { [unowned self] in restDidEnd() }
    self.timer = timer
    timer.start(at: instant)
  }

  private func restDidEnd() {
    // A call that ends the exchange lets go of us.
    withExtendedLifetime(self) {
      if held == 0, plan.delay > .zero { goOn() } else { pump() }
    }
  }

  // MARK: The response

  /// Nothing of the response is held back any longer: the exchange ends.
  func letGo() {
    isEnding = true
    timer?.cancel()
    let completion = deferred.contains { if case .completion = $0 { true } else { false } }
    deferred = []
    guard completion, let task = task.take() else { return }
    complete(task, with: nil)
  }

  /// Lets bytes go on whose time has come, and what follows them.
  private func pump() {
    while let task, !isEnding {
      let now = MonotonicInstant.now
      switch flow.next(at: now) {
      case .pass(let bytes):
        // The log has the content when the client can have it.
        task.metrics.marks.move(.responseLastByte, to: now)
        _ = exchange.task(task, didReceive: bytes.span, at: now)
        if isPaused, !flow.isFull {
          isPaused = false
          task.resumeReceiving()
        }
      case .wait(let instant):
        holdingSince = holdingSince ?? now
        return rest(until: instant)
      case .cut:
        // In HTTP/2, the end of a stream overtakes its content.
        guard exchange.client.bufferedBytes == 0 else { return rest(until: now.advanced(by: Self.flushing)) }
        isEnding = true
        guard let step = plan.cut else { return }
        return exchange.cutOff(by: step)
      case .empty:
        noteHolding(until: now)
        return tellDeferred(task)
      }
    }
  }

  /// The log says for how long the content was held.
  private func noteHolding(until now: MonotonicInstant) {
    guard let since = holdingSince.take() else { return }
    let nanoseconds = now.nanoseconds(since: since)
    for (index, step) in plan.steps.enumerated() where step.rule.action.holdsContent {
      exchange.draft.record.injections[index].nanoseconds += nanoseconds
    }
  }

  private func tellDeferred(_ task: SessionTask) {
    let events = deferred
    deferred = []
    for event in events {
      switch event {
      case .trailers(let trailers): exchange.task(task, didReceiveTrailers: trailers)
      case .endOfResponse: exchange.taskDidEndResponse(task)
      case .endOfStream: exchange.taskDidReceiveEnd(task)
      case .completion(let error):
        self.task = nil
        complete(task, with: error)
      }
    }
  }

  private func complete(_ task: SessionTask, with error: TransportError?) {
    exchange.taskDidGatherMetrics(task)
    if held > 0 { exchange.draft.record.marks.addHeld(held) }
    exchange.task(task, didCompleteWith: error)
  }

  /// Tells the exchange now, or after the bytes that are held.
  private func tell(_ event: Event, of task: SessionTask) {
    if content != nil, event.endsContent { passContent(of: task) }
    deferred.append(event)
    if flow.isEmpty || isEnding { tellDeferred(task) }
  }
}

extension InjectionAction {
  /// The field that gets a value which the log may have.
  fileprivate var shownField: HeaderField? {
    guard case .edit(_, let edit) = self, let value = edit.value, !edit.isSecret else { return nil }
    return HeaderField(name: edit.name, value: value)
  }

  /// Whether it holds back the content of the response.
  fileprivate var holdsContent: Bool {
    switch self {
    case .stall, .rate: true
    case .delay, .answer, .reset, .close, .timeout, .truncate, .edit, .content, .map, .rewrite: false
    }
  }
}

extension InjectedExchange: TaskOwner {
  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    guard plan.editsContent else { return pass(head, of: task, plan.responseEdits) }
    if let obstacle = HeldContent.obstacle(head, task.responseFraming) {
      leaveContent(because: obstacle)
      return pass(head, of: task, plan.responseEdits)
    }
    content = HeldContent(head)
    return .proceed
  }

  /// The log has the head as it came.
  private func pass(_ head: ResponseHead, of task: SessionTask, _ edits: [InjectedEdit]) -> ResponseDisposition {
    guard !edits.isEmpty else { return exchange.task(task, didReceive: head) }
    let received = task.http2Response
    task.http2Response = received?.edited(by: edits)
    let disposition = exchange.task(task, didReceive: head.edited(by: edits))
    task.http2Response = received
    exchange.draft.record.response = head
    return disposition
  }

  /// The log says why a rule has not edited the content.
  private func leaveContent(because reason: String) {
    for (index, step) in plan.steps.enumerated() {
      if case .content = step.rule.action { exchange.draft.record.injections[index].note(reason) }
    }
  }

  /// All of the content is here.
  private func passContent(of task: SessionTask) {
    guard let held = content.take() else { return }
    var bytes = held.bytes
    for (index, step) in plan.steps.enumerated() {
      guard case .content(let change) = step.rule.action else { continue }
      if let edited = change.edit(bytes) {
        bytes = edited
      } else {
        exchange.draft.record.injections[index].note("no such place")
      }
    }
    task.responseFraming = .length(UInt64(bytes.count))
    let edits = plan.responseEdits + [InjectedEdit(name: "Content-Length", value: "\(bytes.count)")]
    guard pass(held.head, of: task, edits) == .proceed else { return }
    passOn(bytes.span, of: task, at: task.metrics.marks[.responseLastByte] ?? .now)
  }

  private func passOn(_ bytes: Span<UInt8>, of task: SessionTask, at instant: MonotonicInstant) {
    guard !flow.isOpen else {
      _ = exchange.task(task, didReceive: bytes, at: instant)
      return
    }
    flow.append(bytes)
    if timer?.isRunning != true { pump() }
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    if var held = content.take() {
      if held.append(bytes) {
        content = held
        return .more
      }
      leaveContent(because: "longer than 1 MiB")
      guard pass(held.head, of: task, plan.responseEdits) == .proceed else { return .more }
      passOn(held.bytes.span, of: task, at: instant)
      return .more
    }
    guard !flow.isOpen else { return exchange.task(task, didReceive: bytes, at: instant) }
    flow.append(bytes)
    if timer?.isRunning != true { pump() }
    isPaused = flow.isFull
    return isPaused ? .pause : .more
  }

  func taskOutlet(_ task: SessionTask) -> Channel? { flow.isOpen && content == nil ? exchange.taskOutlet(task) : nil }

  func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand {
    exchange.task(task, didForward: count, at: instant)
  }

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) { tell(.trailers(trailers), of: task) }

  func taskDidEndResponse(_ task: SessionTask) { tell(.endOfResponse, of: task) }

  func taskDidReceiveEnd(_ task: SessionTask) { tell(.endOfStream, of: task) }

  /// The metrics are told with the completion.
  func taskDidGatherMetrics(_ task: SessionTask) {}

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    tell(.completion(error), of: task)
  }

  // MARK: What rules leave alone

  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    exchange.task(task, didReceiveInformational: head)
  }

  func task(_ task: SessionTask, passesUnread error: TransportError) -> Bool { exchange.task(task, passesUnread: error) }

  func taskDidUpgrade(_ task: SessionTask) { exchange.taskDidUpgrade(task) }

  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk { exchange.taskNeedsBody(task, limit: limit) }

  func taskTrailers(_ task: SessionTask) -> HeaderFields? { exchange.taskTrailers(task) }

  func task(_ task: SessionTask, didSendBody count: Int) { exchange.task(task, didSendBody: count) }

  func taskCanSendMore(_ task: SessionTask) { exchange.taskCanSendMore(task) }
}
