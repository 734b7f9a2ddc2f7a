internal import TapelineCore
internal import TapelineHAR
internal import TapelineBase
internal import TapelineTime

/// The phases in whole microseconds, as they are printed: the printed phases add up to exactly the printed total.
struct EntryTimings {
  private let phases: ExchangePhases

  init(_ phases: ExchangePhases) {
    self.phases = phases
  }

  /// `nil` for a phase that did not happen. The parts of HAR's `blocked` are apart.
  private subscript(phase: Phase) -> Int64? { phases[phase].map(Self.microseconds) }

  /// The time of the proxy itself.
  var proxy: Int64 { self[.proxy] ?? 0 }

  /// HAR's `blocked`.
  private var blocked: Int64 { (self[.client] ?? 0) + proxy + (self[.blocked] ?? 0) }

  var total: Int64 { sum { !$0.isIncluded } }

  /// The total without the parts of the client and the proxy.
  var totalOfOthers: Int64 { sum { !$0.isIncluded && $0.isOfTotal } }

  private func sum(of isIn: (Phase) -> Bool) -> Int64 {
    Phase.allCases.reduce(0) { isIn($1) ? $0 + (self[$1] ?? 0) : $0 }
  }

  /// Rounds to the nearest microsecond; rounding keeps the order, so `ssl` stays within `connect`.
  static func microseconds(_ nanoseconds: Int64) -> Int64 {
    (nanoseconds + 500) / 1_000
  }

  /// Appends the members of `timings`, without the braces.
  func append(to writer: inout JSONWriter) {
    for phase in Phase.ofHAR {
      writer.append(json: phase == .blocked ? "\"" : ",\"")
      writer.append(json: phase.key)
      writer.append(json: "\":")
      let time = phase == .blocked ? blocked : self[phase]
      if let time { writer.append(thousandths: time) } else { writer.append(json: "-1") }
    }
  }

  /// Appends `_blocked`: the shares of client, proxy and connection. The printed parts add up to the printed `blocked`.
  func appendBlocked(to writer: inout JSONWriter) {
    writer.append(member: .blocked)
    writer.append(json: #"{"client":"#)
    writer.append(thousandths: self[.client] ?? 0)
    writer.append(json: #","proxy":"#)
    writer.append(thousandths: proxy)
    writer.append(json: #","connection":"#)
    writer.append(thousandths: self[.blocked] ?? 0)
    writer.append(byte: UInt8(ascii: "}"))
  }
}

/// Writes the debug description of a `Timeline` as a JSON string: the same text, in a tenth of the time.
enum TimelineText {
  static func append(_ timeline: Timeline, to writer: inout JSONWriter) {
    let values = [
      timeline.requestStartTime, timeline.initialResponseTime, timeline.requestCompletedTime, timeline.serializationCompletedTime,
    ]
    // No clock shows such a time, and the arithmetic below cannot handle it.
    guard values.allSatisfy({ $0.magnitude < 0x1p40 }) else {
      writer.append(string: timeline.debugDescription)
      return
    }
    writer.append(json: #""Timeline: { \"Request Start Time\": "#)
    append(timeline.requestStartTime, to: &writer)
    writer.append(json: #", \"Initial Response Time\": "#)
    append(timeline.initialResponseTime, to: &writer)
    writer.append(json: #", \"Request Completed Time\": "#)
    append(timeline.requestCompletedTime, to: &writer)
    writer.append(json: #", \"Serialization Completed Time\": "#)
    append(timeline.serializationCompletedTime, to: &writer)
    writer.append(json: #", \"Latency\": "#)
    append(timeline.latency, to: &writer)
    writer.append(json: #" secs, \"Request Duration\": "#)
    append(timeline.requestDuration, to: &writer)
    writer.append(json: #" secs, \"Serialization Duration\": "#)
    append(timeline.serializationDuration, to: &writer)
    writer.append(json: #" secs, \"Total Duration\": "#)
    append(timeline.totalDuration, to: &writer)
    writer.append(json: #" secs }""#)
  }

  private static func append(_ seconds: Double, to writer: inout JSONWriter) {
    if seconds.sign == .minus { writer.append(byte: UInt8(ascii: "-")) }
    writer.append(thousandths: Int64(seconds.wholeMilliseconds))
  }
}

extension JSONWriter {
  /// Appends `1994-11-06T08:49:37`, as `CivilDate.text` has it.
  mutating func append(_ date: CivilDate) {
    guard (0...9_999).contains(date.year) else {
      append(json: date.text.utf8.span)
      return
    }
    append(digits: UInt64(date.year), count: 4)
    append(date.month, after: "-")
    append(date.day, after: "-")
    append(date.hour, after: "T")
    append(date.minute, after: ":")
    append(date.second, after: ":")
  }

  private mutating func append(_ part: Int, after separator: Unicode.Scalar) {
    append(byte: UInt8(ascii: separator))
    append(digits: UInt64(part), count: 2)
  }
}

/// Writes times of day as HAR wants them: UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`, six digits (readers break on nine).
struct DateWriter {
  /// The second whose text is cached: entries of the same second share it.
  private var second = Int64.min
  private var text: [UInt8] = []

  /// Appends the time without quotes; fractions of a microsecond are cut off.
  mutating func append(unixNanoseconds: Int64, to writer: inout JSONWriter) {
    var (second, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest < 0 {
      second -= 1
      rest += 1_000_000_000
    }
    if second != self.second {
      text = Array("\(CivilDate(unixSeconds: second).text).".utf8)
      self.second = second
    }
    writer.append(json: text.span)
    writer.append(digits: UInt64(rest / 1_000), count: 6)
    writer.append(byte: UInt8(ascii: "Z"))
  }
}
