internal import TapelineHAR
internal import TapelineText

/// The WebSocket messages of an exchange, one per line.
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
    let kind = Kind(message["opcode"]?.integer)
    let arrow = palette.isUnicode ? (isSent ? "→" : "←") : (isSent ? ">" : "<")
    let head = "\(time.rightAligned(to: 7)) \(palette.apply(isSent ? .cyan : .green, to: arrow)) \(kind.rawValue.padded(to: 6)) "
    return head + text(of: message, kind, width: max(20, width - columnWidth))
  }

  private static func text(of message: HARValue, _ kind: Kind, width: Int) -> String {
    let data = message["data"]?.string ?? ""
    guard kind.isBytes || message["_encoding"] == "base64", let bytes = Base64.decode(data) else {
      return data.printable.elided(to: width)
    }
    if kind == .close, let reason = CloseReason(payload: bytes) { return reason.text.printable.elided(to: width) }
    if bytes.isEmpty, kind != .binary { return "" }
    let size = message["_size"]?.integer ?? bytes.count
    guard message["_compressed"]?.bool == true else { return ByteLine.text(of: bytes, size: size, width: width) }
    let note = " (compressed)"
    return ByteLine.text(of: bytes, size: size, width: width - note.count) + note
  }

  /// RFC 6455, section 11.8.
  private enum Kind: String {
    case text, binary, close, ping, pong, other

    init(_ opcode: Int?) {
      self =
        switch opcode {
        case 1: .text
        case 2: .binary
        case 8: .close
        case 9: .ping
        case 10: .pong
        case .some, nil: .other
        }
    }

    /// Whether the log has the data in base64 without saying so.
    var isBytes: Bool {
      switch self {
      case .binary, .close, .ping, .pong: true
      case .text, .other: false
      }
    }
  }
}
