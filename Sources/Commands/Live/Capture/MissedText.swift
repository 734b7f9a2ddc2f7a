internal import TapelineOffline
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineBase

/// The connections that a command made by itself although something was recorded, and what to do.
enum MissedText {
  /// More would not help.
  private static let limit = 5

  /// `also connected by itself: python3 → 127.0.0.1:23001 (3); …`; `nil` if nothing was missed.
  static func line(for report: BypassReport) -> String? {
    guard !report.connections.isEmpty else { return nil }
    let shown = report.connections.prefix(limit).map { bypass in
      "\(bypass.program.printable) → \(bypass.destination.map(\.description) ?? "?") (\(bypass.connections))"
    }
    let more = report.connections.count - shown.count
    let places = shown + (more > 0 ? ["\(more) more like these"] : [])
    let reasons = Set(report.connections.map(\.reason))
    let cause = reasons.count == 1 ? reasons.first.flatMap(\.self).map { ": \(SilenceText.cause($0))" } ?? "" : ""
    return "also connected by itself: \(places.joined(separator: ", "))\(cause); run --all records such connections too"
  }

  /// Connections of which nobody can say whose they were.
  static func doubtfulLine(for report: BypassReport) -> String? {
    guard !report.unattributed.isEmpty else { return nil }
    let places = report.unattributed.prefix(limit).map { "\($0.destination) (\($0.connections))" }
    return
      "the command, or another program in the same moment, also connected to \(places.joined(separator: ", ")), too briefly to be seen; "
      + "--require-all tells for certain, run --all records such connections"
  }

  /// Under `--require-all`.
  static func failure(for report: BypassReport) -> CommandFailure? {
    guard report.count > 0 else { return nil }
    return CommandFailure(
      status: .conditionFailed, what: "run",
      why: "\(Count.text(report.count, "connection")) went past the proxy, and --require-all permits none",
      remedy: "record them with --all, or leave --require-all out")
  }
}
