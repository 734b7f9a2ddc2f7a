internal import TapelineBase
internal import TapelineHAR
internal import TapelineHTTP

/// The time that the server says it took, by the `Server-Timing` fields of a response and its trailers.
struct ServerTime: Hashable, Sendable {
  /// In the order of the log.
  let metrics: [ServerTiming]
  private let wait: Double?
  /// In milliseconds; `nil` where the kernel did not say.
  private let leastTrip: Double?

  /// `nil` if the server says nothing.
  init?(_ entry: HAREntry) {
    let fields = entry.response.headers.map { ($0.name, $0.value) } + Self.trailers(of: entry)
    metrics = fields.flatMap { name, value in
      name.lowercased() == "server-timing" ? ServerTiming.metrics(in: value) : []
    }
    guard !metrics.isEmpty else { return nil }
    wait = PhaseDurations(entry)[.wait]
    leastTrip = entry.custom[.tcp]?["server"]?["minRtt"]?.double.flatMap { $0 > 0 ? $0 : nil }
  }

  private static func trailers(of entry: HAREntry) -> [(String, String)] {
    (entry.response.custom[.trailers]?.array ?? []).compactMap { line in
      line["name"]?.string.flatMap { name in line["value"]?.string.map { (name, $0) } }
    }
  }

  /// The server's time in milliseconds: its metric `total` where it has one, else the sum of all metrics; but where that is more
  /// than the wait, metrics lie within each other, and the longest counts. `nil` if no metric has a duration.
  var total: Double? {
    if let total = self["total"] { return total }
    let durations = metrics.compactMap(\.duration)
    guard let longest = durations.max() else { return nil }
    let sum = durations.reduce(0, +)
    return sum > (wait ?? .infinity) ? longest : sum
  }

  /// The duration of a metric in milliseconds. Names differ in case.
  subscript(name: String) -> Double? {
    metrics.first { $0.name.isSameName(as: name) && $0.duration != nil }?.duration
  }

  /// `421ms = 21.0ms network + 400ms server (db 53.0ms, app)`, or why it cannot be divided so.
  var text: String {
    let list = metrics.map { metric in
      let name = metric.description.map { $0.isEmpty ? metric.name : "\(metric.name) \($0)" } ?? metric.name
      return metric.duration.map { "\(name) \(DurationText.compact($0))" } ?? name
    }.joined(separator: ", ")
    guard let total else { return "the server gives no time (\(list))" }
    guard let wait else { return "\(DurationText.compact(total)) server (\(list))" }
    let network = wait - total
    guard network >= 0 else {
      return "\(DurationText.compact(wait)), but the server says \(DurationText.compact(total)) (\(list))"
    }
    let sum = "\(DurationText.compact(wait)) = \(DurationText.compact(network)) network + \(DurationText.compact(total)) server"
    guard let leastTrip, network < leastTrip else { return "\(sum) (\(list))" }
    return "\(sum) (\(list)); a round trip takes at least \(DurationText.compact(leastTrip))"
  }
}

/// The distributed trace that a request belongs to.
struct RecordedTrace: Hashable, Sendable {
  private let parent: TraceParent

  /// `nil` without a `traceparent`, with several, and with a malformed one (W3C Trace Context, 3.2).
  init?(_ entry: HAREntry) {
    let values = entry.request.headers.filter { $0.name.isSameName(as: "traceparent") }.map(\.value)
    guard values.count == 1, let parent = TraceParent(values[0]) else { return nil }
    self.parent = parent
  }

  var id: String { parent.traceID }

  /// `4bf92f3577b34da6a3ce929d0e0e4736, span 00f067aa0ba902b7, sampled`.
  var text: String { "\(parent.traceID), span \(parent.parentID), \(parent.isSampled ? "sampled" : "not sampled")" }
}
