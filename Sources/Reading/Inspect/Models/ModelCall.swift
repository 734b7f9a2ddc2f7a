package import TapelineHAR

/// A call of a language model, with what its server says of it and when its content came.
package struct ModelCall: Sendable {
  package let api: ModelAPI
  /// As the request names it, else the answer; empty if neither does.
  package let model: String
  package let answer: ModelAnswer
  /// When the events with content came, in milliseconds from the start of the exchange.
  private let contentTimes: [Double]
  /// When the request had been sent, in milliseconds from the start of the exchange.
  private let sent: Double

  /// The parts of an entry that a call is read from.
  package static let parts: HAREntryParts = [.bodies, .custom, .fields]

  /// `nil` for an exchange that is no call of a model, or whose request the log does not have.
  package init?(_ entry: HAREntry) {
    guard let api = ModelAPI(entry.request), let body = Self.body(of: entry.request), api.accepts(body) else { return nil }
    self.init(entry, api, asking: body)
  }

  /// - Parameter body: of the request, which the interface accepts.
  init(_ entry: HAREntry, _ api: ModelAPI, asking body: HARValue) {
    var answer = ModelAnswer()
    var times: [Double] = []
    if let stream = RecordedStream(entry) {
      for event in stream.received {
        guard let data = event.data, let value = try? HARValue(json: Array(data).span) else { continue }
        if answer.take(event: value, named: event.name, api), let time = event.time { times.append(time) }
      }
    } else if case .bytes(let bytes) = LoggedBody(response: entry.response), let value = try? HARValue(json: bytes.span) {
      answer.take(whole: value, api)
    }
    self.api = api
    self.answer = answer
    contentTimes = times
    model = api.model(in: body, of: entry.request) ?? answer.model ?? ""
    sent = StreamTiming.endOfRequest(of: entry)
  }

  static func body(of request: HARRequest) -> HARValue? {
    guard case .bytes(let bytes) = LoggedBody(request: request) else { return nil }
    return try? HARValue(json: bytes.span)
  }

  /// Milliseconds from the end of the request to the first content; `nil` if the log has no times of it, and for an answer that
  /// came as a whole.
  package var firstContent: Double? { contentTimes.first.map { max(0, $0 - sent) } }

  /// Milliseconds between content and the content after it.
  private var gaps: [Double] { zip(contentTimes, contentTimes.dropFirst()).map { max(0, $1 - $0) } }

  /// Tokens per second, from the first content to the last. Reasoning counts if it came as content: else it was over before.
  private var rate: Double? {
    guard let first = contentTimes.first, let last = contentTimes.last, last > first, let output = answer.usage.output else {
      return nil
    }
    let streamed = output - (answer.showsReasoning ? 0 : min(output, answer.usage.reasoning ?? 0))
    return Double(streamed) / (last - first) * 1_000
  }

  /// Its facts, by the names of the fields of queries without `llm.`; `stop` is why it ended, or failed.
  package var members: HARObject {
    let (usage, gaps) = (answer.usage, self.gaps.sorted())
    func median(_ gaps: [Double]) -> Double? { gaps.isEmpty ? nil : gaps[PercentileEstimator.rank(50, of: gaps.count)] }
    var members: HARObject = [:]
    members["model"] = model.isEmpty ? nil : .string(model)
    for (name, count) in [
      ("in", usage.input), ("cached", usage.cached), ("written", usage.written), ("out", usage.output),
      ("reasoning", usage.reasoning),
    ] {
      members[name] = count.map { .number(HARNumber($0)) }
    }
    for (name, time) in [("first", firstContent), ("gap.p50", median(gaps)), ("gap.max", gaps.last), ("rate", rate)] {
      members[name] = time.map { .number(HARNumber(($0 * 1_000).rounded() / 1_000)) }
    }
    members["stalls"] = .number(HARNumber(gaps.count { $0 > StreamTiming.stall }))
    members["stop"] = (answer.error.map { "error \($0)" } ?? answer.stop).map { .string($0) }
    members["tools"] = .array(answer.tools.map { .string($0) })
    return members
  }
}
