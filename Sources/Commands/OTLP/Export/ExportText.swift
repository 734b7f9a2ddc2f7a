internal import TapelineInspect
internal import TapelineBase

/// The result of an export, for people.
package enum ExportText {
  /// `512 spans of 80 exchanges sent to http://localhost:4318/v1/traces, 7 dropped, 3 rejected: it answers 400`.
  package static func line(for state: ExportState, to url: String) -> String {
    let counts = state.counts
    let spans = Count.text(counts.made, "span")
    let exchanges = Count.text(state.exchanges, "exchange")
    var parts = ["\(counts.sent == counts.made ? "" : "\(counts.sent) of ")\(spans) of \(exchanges) sent to \(url)"]
    if counts.dropped > 0 { parts.append("\(counts.dropped) dropped") }
    if counts.rejected > 0 { parts.append("\(counts.rejected) rejected") }
    if counts.queued > 0 { parts.append("\(counts.queued) waiting") }
    if state.leftOut > 0 { parts.append("\(Count.text(state.leftOut, "exchange")) left out") }
    let spansText = parts.joined(separator: ", ") + (state.trouble.map { ": \($0.printable)" } ?? "")
    guard let metrics = state.metrics else { return spansText }
    let metricsText = "metrics sent \(Count.text(metrics.sent, "time")), \(metrics.failed) in vain"
    return "\(spansText); \(metricsText)" + (metrics.trouble.map { ": \($0.printable)" } ?? "")
  }
}
