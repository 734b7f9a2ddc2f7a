package import TapelineHAR

/// The response debug description of a recorded exchange: `[Request]`, `[Response]`, `[Data]`, `[Result]` and `[Timeline]`,
/// as the core's response prints it.
package enum DebugDescription {
  /// The recorded text. Without one, the text is made from the entry, and a missing timeline from the phases.
  package static func lines(of entry: HAREntry) -> [String] {
    if let recorded = entry.custom[.debug]?.string {
      return recorded.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    }
    return [
      "[Request]: \(entry.request.method) \(entry.request.url)",
      "[Response]: \(response(entry.response, url: entry.request.url))",
      "[Data]: \(max(0, entry.response.bodySize)) bytes",
      "[Result]: \(result(entry))",
      "[Timeline]: \(timeline(entry))",
    ].map(\.printable)
  }

  private static func response(_ response: HARResponse, url: String) -> String {
    guard response.status > 0 else { return "nil" }
    let fields = response.headers.map { "\"\($0.name)\": \"\($0.value)\"" }.joined(separator: ", ")
    return "{ URL: \(url), Status Code: \(response.status), Headers: { \(fields) } }"
  }

  private static func result(_ entry: HAREntry) -> String {
    if let failure = RecordedFailure(entry), failure.operation == nil { return "FAILURE: \(failure.text)" }
    let size = "\(max(0, entry.response.bodySize)) bytes"
    if RecordedEnd.isOutstanding(for: entry) { return "IN FLIGHT: \(size)" }
    return RecordedEnd(entry).map { "ENDED: by the client in \($0.phase), \(size)" } ?? "SUCCESS: \(size)"
  }

  private static func timeline(_ entry: HAREntry) -> String {
    entry.custom[.timeline]?["description"]?.string ?? DerivedTimeline.text(of: entry) ?? "nil"
  }
}

/// The timeline of an exchange whose log has none: made from its start and its phases, and printed like the core's timeline.
private enum DerivedTimeline {
  /// Seconds from 1970 to 2001, the epoch of timelines.
  private static let referenceSeconds = 978_307_200.0

  /// `nil` when the log does not say when the exchange began, or how long it took.
  static func text(of entry: HAREntry) -> String? {
    guard let began = unixNanoseconds(ofDate: entry.startedDateTime) else { return nil }
    let start = Double(began) / 1e9 - referenceSeconds
    guard let time = entry.duration else { return nil }
    let duration = time / 1_000
    let latency = max(0, time - (entry.timings.receive.asDuration ?? 0)) / 1_000
    let times = [
      ("Request Start Time", start), ("Initial Response Time", start + latency), ("Request Completed Time", start + duration),
      ("Serialization Completed Time", start + duration),
    ]
    let durations = [
      ("Latency", latency), ("Request Duration", duration), ("Serialization Duration", 0), ("Total Duration", duration),
    ]
    let parts =
      times.map { "\"\($0)\": \(seconds($1))" } + durations.map { "\"\($0)\": \(seconds($1)) secs" }
    return "Timeline: { \(parts.joined(separator: ", ")) }"
  }

  private static func seconds(_ value: Double) -> String {
    fixed(value, decimals: 3)
  }
}
