internal import TapelineHAR

/// The WebSocket messages of an exchange, a line each.
enum WebSocketText {
  private static let columnWidth = 20

  static func lines(of entry: HAREntry, width: Int, palette: Palette, limit: Int) -> [String] {
    guard let messages = entry.custom["_webSocketMessages"]?.array, !messages.isEmpty else { return [] }
    let start = unixNanoseconds(ofDate: entry.startedDateTime).map { Double($0) / 1e6 }
    let lines = messages.prefix(limit).map { line(of: $0, start: start, width: width, palette) }
    guard messages.count > limit else { return lines }
    return lines + [palette.apply(.dim, to: "(… \(messages.count - limit) more messages; --json prints all)")]
  }

  private static func line(of message: HARValue, start: Double?, width: Int, _ palette: Palette) -> String {
    let isSent = message["type"]?.string == "send"
    let time = message["time"]?.double.flatMap { time in start.map { DurationText.compact(max(0, time * 1_000 - $0)) } } ?? "-"
    let kind = kind(of: message["opcode"]?.integer)
    let arrow = palette.isUnicode ? (isSent ? "→" : "←") : (isSent ? ">" : "<")
    let head = "\(time.rightAligned(to: 7)) \(palette.apply(isSent ? .cyan : .green, to: arrow)) \(kind.padded(to: 6)) "
    return head + (message["data"]?.string ?? "").printable.elided(to: max(20, width - columnWidth))
  }

  /// RFC 6455, section 11.8.
  private static func kind(of opcode: Int?) -> String {
    switch opcode {
    case 1: "text"
    case 2: "binary"
    case 8: "close"
    case 9: "ping"
    case 10: "pong"
    case .some, nil: "other"
    }
  }
}
