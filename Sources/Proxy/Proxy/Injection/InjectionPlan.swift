internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime

/// A plan of what the rules do to one exchange, as a value.
struct InjectionPlan {
  /// An action that was chosen, and its part of the delay.
  struct Step {
    let number: Int
    let rule: InjectionRule
    let delay: Duration
  }

  private(set) var steps: [Step] = []
  /// How long the request is held back.
  private(set) var delay = Duration.zero
  /// How the exchange ends without its server, if it does.
  private(set) var ending: Step?
  private(set) var requestEdits: [InjectedEdit] = []
  /// Where the request goes instead.
  private(set) var url: String?
  private(set) var responseEdits: [InjectedEdit] = []
  /// Whether the content of the response is edited.
  private(set) var editsContent = false
  /// The flow that holds back the content of the response.
  private(set) var flow = InjectedFlow()

  /// Adds an action, unless an earlier one ends the exchange. Answers whether it has.
  mutating func add(
    _ rule: InjectionRule, number: Int, to subject: InjectionSubject, _ draw: inout InjectionDraw
  ) -> Bool {
    guard ending == nil else { return false }
    var step = Step(number: number, rule: rule, delay: .zero)
    switch rule.action {
    case .delay(let delay):
      step = Step(number: number, rule: rule, delay: delay.length(&draw))
      self.delay += step.delay
    case .answer, .reset, .close, .timeout: ending = step
    case .truncate(let limit): flow.cut(after: limit, by: steps.count)
    case .stall(let duration, let offset): flow.stall(for: duration, after: offset, by: steps.count)
    case .rate(let rate): flow.limit(to: rate, by: steps.count)
    case .edit(.request, let edit): requestEdits.append(edit)
    case .edit(.response, let edit): responseEdits.append(edit)
    case .content: editsContent = true
    case .rewrite(let prefix, let replacement):
      let before = url ?? subject.url
      if before.hasPrefix(prefix) { url = replacement + before.dropFirst(prefix.count) }
    // The format of the events is known with the head of the response.
    case .cut, .map: break
    }
    steps.append(step)
    return true
  }
}

extension InjectionPlan.Step {
  /// The failure of an exchange that the rule has ended; `nil` for an answer that is none.
  var failure: ExchangeRecord.Failure? {
    let what: String
    var phase = ExchangeRecord.Phase.wait
    switch rule.action {
    case .answer(let answer) where answer.content != nil: return nil
    case .answer: what = "answered in place of the server"
    case .reset: what = "reset the connection"
    case .close: what = "ended the connection"
    case .timeout: what = "left the request without an answer"
    case .truncate, .cut: (phase, what) = (.receive, "cut the response off")
    case .delay, .stall, .rate, .edit, .content, .map, .rewrite: return nil
    }
    return ExchangeRecord.Failure(
      origin: .local, phase: phase, kind: .injected, message: "rule \(number) (\(rule.line)) \(what)", option: "--rule")
  }
}

extension InjectedAnswer {
  /// The answer as it is sent.
  ///
  /// - Parameters:
  ///   - number: the rule's: what it says may be a secret of another client.
  ///   - fields: of the request.
  func reply(number: Int, to fields: HeaderFields) -> LocalReply {
    if let grpc {
      // A call of gRPC-Web has another type.
      return LocalReply(
        status: 200, content: [], mediaType: fields.first(of: .contentType) ?? "application/grpc",
        fields: [("grpc-status", "\(grpc.rawValue)"), ("grpc-message", "tapeline: rule \(number)")])
    }
    let text = Array("tapeline: rule \(number) answers with \(status)\n".utf8)
    return LocalReply(
      status: status, content: content ?? text, mediaType: content == nil ? "text/plain; charset=utf-8" : mediaType,
      fields: retryAfter.map { [("Retry-After", "\($0)")] } ?? [])
  }
}
