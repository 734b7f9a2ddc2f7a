package import TapelineHAR
internal import TapelineBase

/// The calls of models in a capture, in the order of the file, and what came between them.
package struct ModelCalls: Sendable {
  private var rows: [Row] = []
  /// When exchanges began and ended, in milliseconds since 1970: calls, and everything else.
  private var intervals: [(number: Int, range: Range<Double>)] = []
  private var recent: [EarlierCall] = []
  private var conversationCount = 0

  package static let parts = ModelCall.parts

  /// Calls further back than this are not compared with.
  private static let recentLimit = 32

  private struct Row: Sendable {
    let number: Int
    let conversation: Int
    /// Milliseconds since 1970; `nil` if the log has no date.
    let interval: Range<Double>?
    let clientTime: Double
    let members: HARObject
  }

  package init() {}

  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    let interval = entry.interval
    if let interval, !entry.request.asksForTunnel { intervals.append((number, interval)) }
    guard let api = ModelAPI(entry.request), let body = ModelCall.body(of: entry.request), api.accepts(body) else { return }
    let call = ModelCall(entry, api, asking: body)
    let prompt = ModelPrompt(body, api, model: call.model)
    let service = "\(RequestURL(entry.request.url)?.origin ?? "") \(api.rawValue)"
    let others = recent.filter { $0.service == service }
    let before = prompt.predecessor(among: others)
    // The same prompt after a failure is the same call, tried again.
    let failed = others.last { $0.prompt.isSame(as: prompt) }.flatMap { $0.hasFailed ? $0 : nil }
    let stated = entry.request.headers.first { $0.name.isSameName(as: "x-stainless-retry-count") }.flatMap { Int($0.value) }
    let retries = stated ?? failed.map { $0.retries.addingSaturating(1) } ?? 0
    let known = before.flatMap { $0.prompt.opening == prompt.opening && (failed != nil || prompt.count > $0.least) ? $0 : nil }
    if known == nil { conversationCount += 1 }
    let conversation = known?.conversation ?? conversationCount
    let durations = PhaseDurations(entry)
    let modelTime = (durations[.wait] ?? 0) + (durations[.receive] ?? 0)
    var members: HARObject = ["number": .number(HARNumber(number)), "conversation": .number(HARNumber(conversation))]
    for member in call.members.members { members[member.name] = member.value }
    members["retries"] = .number(HARNumber(retries))
    members["status"] = .string(ExchangeOutcome(entry).text)
    members["total"] = .number(HARNumber(entry.total ?? 0))
    members["model.time"] = .number(HARNumber(modelTime))
    members["network.time"] = .number(HARNumber(max(0, (entry.total ?? 0) - modelTime)))
    let pause = interval.flatMap { interval in before?.end.map { max(0, interval.lowerBound - $0) } }
    for (name, value) in prompt.comparison(with: before?.prompt, after: pause) { members[name] = value }
    members["text"] = .string(call.answer.text)
    rows.append(
      Row(
        number: number, conversation: conversation, interval: interval, clientTime: durations[.client] ?? 0, members: members))
    recent.append(
      EarlierCall(
        service: service, prompt: prompt.asEarlier, end: interval?.upperBound, retries: retries,
        hasFailed: ExchangeOutcome(entry).isError || call.answer.error != nil, conversation: conversation,
        least: known?.least ?? prompt.count))
    if recent.count > Self.recentLimit { recent.removeFirst() }
  }

  /// The facts of each call, with where the time until the next call of its conversation went: `tool.time`, in which
  /// exchanges were in flight that had begun since, and `client.time`. Times are in milliseconds.
  package var finished: [HARObject] {
    let sorted = intervals.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var next: [Int: Double] = [:]
    var turns = Dictionary(grouping: rows, by: \.conversation).mapValues(\.count)
    return rows.reversed().map { row in
      var members = row.members
      let until = row.interval.flatMap { own in next[row.conversation].map { max($0, own.upperBound) } }
      let tools = until.map { Self.busyTime(after: row.interval, of: row.number, until: $0, among: sorted[...]) } ?? 0
      let pause = until.flatMap { until in row.interval.map { until - $0.upperBound } } ?? 0
      members["turn"] = .number(HARNumber(turns[row.conversation] ?? 0))
      members["tool.time"] = .number(HARNumber(tools))
      members["client.time"] = .number(HARNumber(row.clientTime + pause - tools))
      turns[row.conversation, default: 0] -= 1
      next[row.conversation] = row.interval?.lowerBound ?? next[row.conversation]
      return members
    }.reversed()
  }

  private static func busyTime(
    after own: Range<Double>?, of number: Int, until next: Double,
    among intervals: ArraySlice<(number: Int, range: Range<Double>)>
  ) -> Double {
    guard let own else { return 0 }
    // An exchange in flight when the call began, such as a stream that stays open, is no tool of its answer.
    var (first, end) = (0, intervals.count)
    while first < end {
      let middle = (first + end) / 2
      if intervals[middle].range.lowerBound < own.lowerBound { first = middle + 1 } else { end = middle }
    }
    var (busy, reached) = (0.0, own.upperBound)
    for (other, range) in intervals[first...] where other != number && range.upperBound > reached {
      if range.lowerBound >= next { break }
      busy += min(range.upperBound, next) - max(range.lowerBound, reached)
      reached = min(range.upperBound, next)
    }
    return busy
  }
}

extension HAREntry {
  /// Milliseconds since 1970; `nil` if the log has no date.
  fileprivate var interval: Range<Double>? {
    guard let start = unixNanoseconds(ofDate: startedDateTime), let duration, duration.isFinite, duration >= 0 else { return nil }
    return Double(start) / 1e6..<Double(start) / 1e6 + duration
  }
}
