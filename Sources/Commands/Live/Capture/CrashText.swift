internal import TapelineInspect
internal import TapelineRecorder
internal import TapelineBase

/// The line on stderr when the recording goes on after a crash of ours.
enum CrashText {
  /// - Parameter log: the log, if it is kept.
  static func line(for crash: RecordedCrash, in log: String?) -> String {
    let cost = crash.lost.isEmpty ? "no exchange was in flight" : "\(Count.text(crash.lost.count, "exchange")) in flight lost"
    let milliseconds = crash.outage / .milliseconds(1)
    let place = log.map { "the entry with _crash in \($0.printable) has the details" } ?? "nothing is kept of it"
    return "a crash of tapeline itself (\(crash.signal)): \(cost), and serving again after \(Int(milliseconds.rounded(.up))) ms; "
      + "please report it, \(place)"
  }
}
