internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime
internal import TapelineTransport

/// The exchange's own side of what rules do to it.
extension ForwardedExchange {
  /// Begins as the rules want it. Answers whether any rule changes the exchange; if not, nothing has happened.
  func beginInjected(by rules: InjectionRules) throws(TransportError) -> Bool {
    guard let plan = rules.plan(for: subject) else { return false }
    let injected = InjectedExchange(plan, of: self)
    let task = try shard.session.forward(outgoing.edited(by: plan.requestEdits, to: plan.url), for: injected)
    self.injected = injected
    machine.start(task)
    injected.begin(task)
    return true
  }

  private var subject: InjectionSubject {
    let head = outgoing.head
    let (implied, started) = draft.lend { ($0.implied, $0.started) }
    let url = implied.map { head.urlText(implied: $0) } ?? head.absoluteForm(authority: outgoing.route.authority)
    return InjectionSubject(
      method: head.method.rawValue, url: url, version: head.version, fields: head.fields, headSize: head.size,
      started: started ?? .now, host: outgoing.route.host, port: outgoing.route.port)
  }

  /// Ends the exchange as a rule says, without its server.
  func end(by step: InjectionPlan.Step) {
    draft.record.failure = step.failure
    switch step.rule.action {
    case .answer(let answer):
      guard case .answer = download.clientDidFail() else { break }
      self.answer(answer.reply(number: step.number, to: outgoing.head.fields))
    case .reset: pass(.reset)
    case .close: pass(.end)
    case .timeout: return
    case .delay, .truncate, .cut, .stall, .rate, .edit, .content, .map, .rewrite: break
    }
    if draft.record.failure != nil { draft.record.marks.stamp(.failed, at: .now) }
    cancelTask()
  }

  private func pass(_ ending: PassedFailure.Ending) {
    guard download.originDidFail(passesOn: true) == .passOn else { return }
    client.passOn(
      PassedFailure(ending: ending, meaning: draft.record.client.isReused && ending == .reset ? .endOfNewConnection : .end))
  }

  /// Ends the response as a rule says, in its content: the client cannot take what it has for the whole.
  func cutOff(by step: InjectionPlan.Step) {
    draft.record.failure = step.failure
    draft.record.marks.stamp(.failed, at: .now)
    if download.clientDidFail() == .breakOff { client.breakOff(as: .end) }
    cancelTask()
  }
}
