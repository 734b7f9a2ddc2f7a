internal import TapelineHAR

/// The timeline of an exchange whose log has none: made from its start and its phases, and printed like the core's timeline.
enum DerivedTimeline {
  /// Seconds from 1970 to 2001, the epoch of timelines.
  private static let referenceSeconds = 978_307_200.0

  /// `nil` when the log does not say when the exchange began.
  static func text(of entry: HAREntry) -> String? {
    guard let began = unixNanoseconds(ofDate: entry.startedDateTime) else { return nil }
    let start = Double(began) / 1e9 - referenceSeconds
    let duration = max(0, entry.time) / 1_000
    let latency = max(0, entry.time - max(0, entry.timings.receive)) / 1_000
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
