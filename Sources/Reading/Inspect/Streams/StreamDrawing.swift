internal import TapelineBase
internal import TapelineHAR

/// A stream drawn for `show`: when the first content came, the gaps between events, and the longest of them with the event that
/// ended each.
struct StreamDrawing {
  let stream: RecordedStream
  let timing: StreamTiming
  /// A longer gap is a stall, in milliseconds.
  let stall: Double
  let width: Int
  let palette: Palette

  private static let longestGaps = 3
  private static let levels = Array("▁▂▃▄▅▆▇█")
  private static let plainLevels = Array("_.-:=+*#")

  /// Empty for an exchange that is no stream, and for a stream of one event, which is an answer as any other.
  static func lines(of entry: HAREntry, stall: Double, width: Int, palette: Palette) -> [String] {
    guard let stream = RecordedStream(entry) else { return [] }
    let timing = StreamTiming(stream, of: entry)
    guard timing.count > 1 else { return [] }
    return StreamDrawing(stream: stream, timing: timing, stall: stall, width: width, palette: palette).lines
  }

  private var lines: [String] {
    var lines = summary.wrapped(to: width)
    guard !timing.gaps.isEmpty else {
      let isSilent = timing.count > 1 && stream.received.allSatisfy { $0.time == nil }
      return lines + (isSilent ? note("the log does not say when each of them came") : [])
    }
    lines += gaps.wrapped(to: width)
    lines.append(strip)
    lines += timing.longest(Self.longestGaps).filter { $0.milliseconds > 0 }.map(line)
    if timing.mayBeBuffered(stream) {
      lines += note(
        "\(timing.count) events came in \(Count.text(stream.pieceCount, "piece")): something on the way may collect them, as nginx "
          + "does with proxy_buffering on, or the server itself")
    }
    return lines
  }

  private var summary: String {
    var parts = ["\(Count.text(timing.count, "event")) from the server (\(stream.format.rawValue))"]
    if stream.pieceCount > 0, stream.format.isOfBody { parts.append("in \(Count.text(stream.pieceCount, "piece"))") }
    if let first = timing.first { parts.append("first content \(DurationText.compact(first)) after the request") }
    if let rate = timing.rate { parts.append("\(fixed(rate, decimals: rate < 10 ? 2 : 1)) per second") }
    return parts.joined(separator: ", ")
  }

  private var gaps: String {
    func figure(_ percent: Double) -> String { timing.gap(percent).map(DurationText.compact) ?? "-" }
    let stalls = timing.stalls(above: stall)
    let longer = "\(stalls == 0 ? "none" : "\(stalls)") above \(DurationText.compact(stall))"
    return "gaps p50 \(figure(50)), p99 \(figure(99)), longest \(figure(100)); \(longer)"
  }

  /// A cell for each gap, or for the longest of several; as high as the root of its share of the longest of all.
  private var strip: String {
    let longest = max(timing.gap(100) ?? 0, .leastNormalMagnitude)
    let cells = min(timing.gaps.count, max(1, width))
    let levels = palette.isUnicode ? Self.levels : Self.plainLevels
    return (0..<cells).map { cell in
      let part = timing.gaps[(cell * timing.gaps.count / cells)..<((cell + 1) * timing.gaps.count / cells)]
      let gap = part.map(\.milliseconds).max() ?? 0
      let level = Int((gap / longest).squareRoot() * Double(levels.count - 1))
      return palette.apply(gap > stall ? .red : .plain, to: String(levels[max(0, min(level, levels.count - 1))]))
    }.joined()
  }

  /// `1.20s before event 7, at 3.45s: delta {"text":…`.
  private func line(for gap: StreamTiming.Gap) -> String {
    let event = stream.received[gap.index]
    let time = event.time.map { ", at \(DurationText.compact($0))" } ?? ""
    let head = "\(DurationText.compact(gap.milliseconds).rightAligned(to: 7)) before event \(gap.index + 1)\(time): "
    return head + event.line.elided(to: max(20, width - head.cellCount))
  }

  private func note(_ text: String) -> [String] {
    text.wrapped(to: width).map { palette.apply(.dim, to: $0) }
  }
}

extension StreamEvent {
  var line: String { "\(name.printable) \(dataLine(lineEnd: " "))" }

  /// The data in one line, or the size of data that is no text.
  func dataLine(lineEnd: String) -> String {
    guard let data, data.span.isUTF8 else { return ByteCountText.long(data?.count ?? size) }
    return text.replacing("\n", with: lineEnd).printable
  }
}
