internal import TapelineHAR
internal import TapelineBase

/// The messages of a gRPC call, one per line: when it was complete, its direction and its size.
enum CallText {
  static func lines(of entry: HAREntry, palette: Palette, limit: Int) -> [String] {
    guard let call = RecordedCall(entry) else { return [] }
    let start = unixNanoseconds(ofDate: entry.startedDateTime).map { Double($0) / 1e6 }
    var lines = call.messages.prefix(limit).map { line(of: $0, start: start, palette) }
    let trailers = call.messages.count(where: \.isTrailers)
    let missing = max(call.messageCount, call.messages.count - trailers) - (call.messages.prefix(limit).count { !$0.isTrailers })
    if missing > 0 {
      lines.append(palette.apply(.dim, to: "(… \(Count.text(missing, "more message")))"))
    }
    return lines
  }

  private static func line(of message: RecordedCall.Message, start: Double?, _ palette: Palette) -> String {
    let time = message.time.flatMap { time in start.map { DurationText.compact(max(0, time * 1_000 - $0)) } } ?? "-"
    let arrow = palette.isUnicode ? (message.isSent ? "→" : "←") : (message.isSent ? ">" : "<")
    let size = message.size.map { ByteCountText.long($0) } ?? "-"
    let notes = (message.isTrailers ? " trailers" : "") + (message.isCompressed ? " (compressed)" : "")
    return "\(time.rightAligned(to: 7)) \(palette.apply(message.isSent ? .cyan : .green, to: arrow)) \(size)\(notes)"
  }
}
