package import TapelineHAR
internal import TapelineBase

/// Exchanges in Chrome's Trace Event Format (the JSON that Perfetto, `chrome://tracing` and speedscope open): a process for each
/// origin, a slice for each exchange, and in it a slice for each phase.
///
/// Slices of a thread must lie in each other or beside each other, so exchanges in flight together get threads of their own, as
/// few as their order allows. Times are whole microseconds since 1970. Memory holds the end of each thread.
package struct TraceEvents {
  private var processes: [String: Process] = [:]
  private var hasEvents = false

  /// The text before the events, and behind them.
  package static let opening = #"{"displayTimeUnit":"ms","traceEvents":["#
  package static let closing = "\n]}\n"

  private struct Process {
    let id: Int
    /// When the last slice of each thread ends.
    var ends: [Int] = []
  }

  package init() {}

  /// Appends the events of an exchange; nothing for an exchange without a date.
  ///
  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func append(_ entry: HAREntry, number: Int, to text: inout JSONWriter) {
    guard let start = unixNanoseconds(ofDate: entry.startedDateTime), start >= 0 else { return }
    let place = place(of: entry, start..<start.addingSaturating(Self.nanoseconds(entry.duration ?? 0)), &text)
    let method = entry.request.method
    let path = RequestURL(entry.request.url)?.path ?? entry.request.url
    append(
      ["name": .string("\(method) \(path)"), "cat": "http"], (start, entry.duration ?? 0), place, facts(of: entry, number), &text)
    var phaseStart = start
    for (phase, duration) in PhaseDurations(entry).disjoint {
      append(["name": .string(phase.name), "cat": "phase"], (phaseStart, duration), place, nil, &text)
      phaseStart = phaseStart.addingSaturating(Self.nanoseconds(duration))
    }
  }

  /// The process of the exchange's origin, and a thread that is free during the exchange.
  private mutating func place(of entry: HAREntry, _ time: Range<Int>, _ text: inout JSONWriter) -> (process: Int, thread: Int) {
    let origin = RequestURL(entry.request.url)?.origin ?? ""
    var process = processes[origin] ?? Process(id: processes.count + 1)
    if process.ends.isEmpty {
      append(metadata: "process_name", origin.isEmpty ? "no origin" : origin, (process.id, 0), &text)
    }
    // The free thread that was in use last: the others stay free for what began earlier.
    let free = process.ends.indices.filter { process.ends[$0] <= time.lowerBound }
    let thread = free.max { process.ends[$0] < process.ends[$1] } ?? process.ends.count
    if thread == process.ends.count {
      process.ends.append(0)
      append(metadata: "thread_name", "exchanges \(thread + 1)", (process.id, thread + 1), &text)
    }
    process.ends[thread] = time.upperBound
    processes[origin] = process
    return (process.id, thread + 1)
  }

  private func facts(of entry: HAREntry, _ number: Int) -> HARObject {
    var facts: HARObject = [
      "number": .number(HARNumber(number)), "url": .string(entry.request.url), "status": .string(ExchangeOutcome(entry).text),
    ]
    facts["total_ms"] = entry.total.map { .number(HARNumber($0)) }
    if entry.response.bodySize >= 0 { facts["response_bytes"] = .number(HARNumber(entry.response.bodySize)) }
    facts["connection"] = (entry.custom[.connectionID]?.string ?? entry.connection).map { .string($0) }
    facts["page"] = (entry.pageTitle ?? entry.pageref).map { .string($0) }
    facts["error"] = RecordedFailure(entry).map { .string($0.text) }
    return facts
  }

  // MARK: Text

  private mutating func append(
    _ members: HARObject, _ time: (start: Int, milliseconds: Double), _ place: (process: Int, thread: Int), _ facts: HARObject?,
    _ text: inout JSONWriter
  ) {
    // Both ends are rounded in the same way: what lies within another slice stays there.
    let end = time.start.addingSaturating(Self.nanoseconds(time.milliseconds)) / 1_000
    var event = members
    event["ph"] = "X"
    event["ts"] = .number(HARNumber(time.start / 1_000))
    event["dur"] = .number(HARNumber(end - time.start / 1_000))
    append(event, place, facts, &text)
  }

  private mutating func append(
    metadata name: String, _ value: String, _ place: (process: Int, thread: Int), _ text: inout JSONWriter
  ) {
    append(["name": .string(name), "ph": "M"], place, ["name": .string(value)], &text)
  }

  private mutating func append(
    _ event: HARObject, _ place: (process: Int, thread: Int), _ arguments: HARObject?, _ text: inout JSONWriter
  ) {
    var event = event
    event["pid"] = .number(HARNumber(place.process))
    event["tid"] = .number(HARNumber(place.thread))
    event["args"] = arguments.map { .object($0) }
    text.append(json: hasEvents ? ",\n" : "\n")
    hasEvents = true
    text.append(value: .object(event))
  }

  private static func nanoseconds(_ milliseconds: Double) -> Int {
    Int(saturating: (min(milliseconds, 1e12) * 1e6).rounded())
  }
}
