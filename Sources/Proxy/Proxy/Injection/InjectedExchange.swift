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
  private var deferred: [() -> Void] = []
  /// The task has completed.
  private var isComplete = false
  /// The server is not read until bytes have gone on.
  private var isPaused = false
  private var isEnding = false
  private let began = MonotonicInstant.now
  /// The time for which the request was held back, in nanoseconds.
  private var held: Int64 = 0
  /// Since when bytes are held, and by the rule with which place in the plan.
  private var holding: (since: MonotonicInstant, rule: Int)?
  /// The client's answer to the last bytes.
  private var demand = Demand.more
  private var timer: Timer?

  /// How soon to look again whether the client has its part of a response that is cut off.
  private static let flushing = Duration.milliseconds(1)

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
    noteUndone()
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
    deferred = []
    if isComplete { complete(with: nil) }
  }

  /// Lets bytes go on whose time has come, and what follows them.
  private func pump() {
    while let task, !isEnding {
      let now = MonotonicInstant.now
      switch flow.next(at: now) {
      case .pass(let bytes):
        // The log has the content when the client can have it.
        task.metrics.marks.move(.responseLastByte, to: now)
        demand = exchange.task(task, didReceive: bytes.span, at: now)
        if isPaused, !flow.isFull, demand == .more {
          isPaused = false
          task.resumeReceiving()
        }
      case .wait(let instant, let rule):
        if holding?.rule != rule {
          noteHolding(until: now)
          holding = (now, rule)
        }
        return rest(until: instant)
      case .cut(let rule):
        noteHolding(until: now)
        // In HTTP/2, the end of a stream overtakes its content.
        guard exchange.client.bufferedBytes == 0 else { return rest(until: now.advanced(by: Self.flushing)) }
        isEnding = true
        noteUndone()
        return exchange.cutOff(by: plan.steps[rule])
      case .empty:
        noteHolding(until: now)
        return tellDeferred()
      }
    }
  }

  /// The log says for how long the content was held.
  private func noteHolding(until now: MonotonicInstant) {
    guard let (since, rule) = holding.take() else { return }
    exchange.draft.record.injections[rule].nanoseconds += now.nanoseconds(since: since)
  }

  /// The content ends before what rules do at a place in it.
  private func noteUndone() {
    for (index, step) in plan.steps.enumerated() where !flow.reached.contains(index) {
      switch step.rule.action {
      case .truncate, .cut, .stall: exchange.draft.record.injections[index].note("no content came that far")
      case .delay, .answer, .reset, .close, .timeout, .rate, .edit, .content, .map, .rewrite: break
      }
    }
  }

  /// The exchange ends before its delays are over.
  private func noteShortDelay() {
    held = MonotonicInstant.now.nanoseconds(since: began)
    var left = held
    for index in plan.steps.indices {
      let taken = min(left, plan.steps[index].delay.nanoseconds)
      exchange.draft.record.injections[index].nanoseconds = taken
      left -= taken
    }
  }

  private func complete(with error: TransportError?) {
    guard let task = task.take() else { return }
    exchange.taskDidGatherMetrics(task)
    noteHolding(until: .now)
    noteUndone()
    if held == 0, plan.delay > .zero { noteShortDelay() }
    if held > 0 { exchange.draft.record.marks.addHeld(held) }
    exchange.task(task, didCompleteWith: error)
  }

  /// Tells the exchange now, or after the bytes that are held.
  private func tell(of task: SessionTask, endsContent: Bool = true, _ event: @escaping () -> Void) {
    if content != nil, endsContent { passContent(of: task) }
    deferred.append(event)
    if flow.isEmpty || isEnding { tellDeferred() }
  }

  private func tellDeferred() {
    let events = deferred
    deferred = []
    for event in events { event() }
  }
}

extension InjectionAction {
  /// The field that gets a value which the log may have.
  fileprivate var shownField: HeaderField? {
    guard case .edit(_, let edit) = self, let value = edit.value, !edit.isSecret else { return nil }
    return HeaderField(name: edit.name, value: value)
  }
}

extension InjectedExchange: TaskOwner {
  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    if plan.editsContent {
      guard let obstacle = HeldContent.obstacle(head, task.responseFraming) else {
        content = HeldContent(head)
        return .proceed
      }
      leaveContent(because: obstacle)
    }
    let disposition = pass(head, of: task, plan.responseEdits)
    countEvents(after: head)
    return disposition
  }

  /// The stream that begins with the head is cut off after some of its events, if rules say so.
  private func countEvents(after head: ResponseHead) {
    let hasSwitched = head.status == 101 || exchange.outgoing.isExtendedConnect
    for (index, step) in plan.steps.enumerated() {
      guard case .cut(let last) = step.rule.action else { continue }
      if let counter = EventCounter(head, isWebSocket: hasSwitched && exchange.isWebSocket) {
        flow.cut(after: last, of: counter, by: index)
      } else {
        exchange.draft.record.injections[index].note("no stream of events that can be read")
      }
    }
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
      guard case .content(let edit) = step.rule.action else { continue }
      if let edited = edit(bytes) {
        bytes = edited
      } else {
        exchange.draft.record.injections[index].note("no such place")
      }
    }
    task.responseFraming = .length(UInt64(bytes.count))
    let edits = plan.responseEdits + [InjectedEdit(name: "Content-Length", value: "\(bytes.count)")]
    guard pass(held.head, of: task, edits) == .proceed else { return }
    _ = passOn(bytes.span, of: task, at: task.metrics.marks[.responseLastByte] ?? .now)
  }

  private func passOn(_ bytes: Span<UInt8>, of task: SessionTask, at instant: MonotonicInstant) -> Demand {
    guard !flow.isOpen else { return exchange.task(task, didReceive: bytes, at: instant) }
    flow.append(bytes)
    if timer?.isRunning != true { pump() }
    isPaused = flow.isFull || demand == .pause
    return isPaused ? .pause : .more
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    guard var held = content.take() else { return passOn(bytes, of: task, at: instant) }
    if held.append(bytes) {
      content = held
      return .more
    }
    leaveContent(because: "longer than 1 MiB")
    guard pass(held.head, of: task, plan.responseEdits) == .proceed else { return .more }
    return passOn(held.bytes.span, of: task, at: instant)
  }

  func taskOutlet(_ task: SessionTask) -> Channel? { flow.isOpen && content == nil ? exchange.taskOutlet(task) : nil }

  func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand {
    exchange.task(task, didForward: count, at: instant)
  }

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    tell(of: task) { [exchange] in exchange.task(task, didReceiveTrailers: trailers) }
  }

  func taskDidEndResponse(_ task: SessionTask) { tell(of: task) { [exchange] in exchange.taskDidEndResponse(task) } }

  func taskDidReceiveEnd(_ task: SessionTask) {
    tell(of: task, endsContent: false) { [exchange] in exchange.taskDidReceiveEnd(task) }
  }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    isComplete = true
    tell(of: task, endsContent: error == nil) { [self] in complete(with: error) }
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
