internal import TapelineBase
internal import TapelineHAR

/// When the events of a stream came, for a line below its bar.
struct StreamTicks: Sendable, Hashable {
  /// Milliseconds from the start of the exchange; no two in the same of many parts of its time.
  private(set) var times: [Double] = []
  /// `12 events, longest gap 1.20s`.
  let text: String

  /// More than any terminal has cells.
  private static let most = 1_024.0

  /// `nil` for an exchange that is no stream, and for one with fewer than two events whose times are known.
  init?(_ entry: HAREntry) {
    guard let stream = RecordedStream(entry) else { return nil }
    let timing = StreamTiming(stream, of: entry)
    guard let longest = timing.gap(100) else { return nil }
    text = "\(Count.text(timing.count, "event")), longest gap \(DurationText.compact(longest))"
    let known = stream.received.compactMap(\.time)
    let part = max((known.last ?? 0) / Self.most, .leastNormalMagnitude)
    for time in known where times.last.map({ time - $0 >= part }) ?? true { times.append(time) }
  }
}
