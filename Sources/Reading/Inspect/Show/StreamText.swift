package import TapelineHAR
internal import TapelineBase

/// The events of a stream, one per line: arrival, gap since the one before, direction, id, name and data.
package enum EventStreamText {
  private static let timeWidth = 7
  private static let idWidth = 16
  private static let nameWidth = 20
  private static let dataWidth = 20

  /// Empty if there are none.
  ///
  /// - Parameters:
  ///   - width: of a line; `nil` for lines as long as they are.
  ///   - limit: the maximum number of events.
  package static func lines(of entry: HAREntry, width: Int? = nil, palette: Palette, limit: Int = .max) -> [String] {
    guard let stream = RecordedStream(entry), !stream.events.isEmpty else { return [] }
    let shown = stream.events.prefix(limit)
    let ids = shown.map { $0.id.printable.elided(to: width == nil ? .max : idWidth) }
    let names = shown.map { ($0.isSent ? "sent " : "") + $0.name.printable.elided(to: width == nil ? .max : nameWidth) }
    let widths = [ids, names].map { $0.map(\.cellCount).max() ?? 0 }
    let taken = 2 * timeWidth + widths.reduce(0) { $0 + ($1 > 0 ? $1 + 1 : 0) } + 4
    let room = width.map { max(dataWidth, $0 - taken) } ?? .max
    var before: Double?
    let lines = zip(shown, zip(ids, names)).map { event, texts in
      let gap = event.isSent ? nil : event.time.flatMap { time in before.map { max(0, time - $0) } }
      if !event.isSent, let time = event.time { before = time }
      let times = [event.time, gap].map { ($0.map(DurationText.compact) ?? "-").rightAligned(to: timeWidth) }
      let id = widths[0] > 0 ? palette.apply(.dim, to: texts.0.padded(to: widths[0])) + " " : ""
      let data = event.dataLine(lineEnd: palette.isUnicode ? "⏎" : " ").elided(to: room)
      return "\(times[0]) \(times[1]) \(id)\(palette.apply(.cyan, to: texts.1.padded(to: widths[1]))) \(data)"
    }
    let more = stream.events.count > limit ? ["… \(stream.events.count - limit) more events; --events prints all"] : []
    let lost = stream.leftOut > 0 ? ["\(Count.text(stream.leftOut, "more event")) passed, of which the log has no times"] : []
    let end = stream.isUnfinished ? ["the stream ends in the middle of an event"] : []
    return lines + (more + lost + end).map { palette.apply(.dim, to: "(\($0))") }
  }
}

/// The WebSocket messages of an exchange, one per line.
enum WebSocketText {
  private static let columnWidth = 20

  static func lines(of entry: HAREntry, width: Int, palette: Palette, limit: Int) -> [String] {
    guard let messages = entry.custom[.webSocketMessages]?.array, !messages.isEmpty else { return [] }
    let start = unixNanoseconds(ofDate: entry.startedDateTime).map { Double($0) / 1e6 }
    let lines = messages.prefix(limit).map { line(of: $0, start: start, width: width, palette) }
    guard messages.count > limit else { return lines }
    return lines + [palette.apply(.dim, to: "(… \(messages.count - limit) more messages; --json prints all)")]
  }

  private static func line(of message: HARValue, start: Double?, width: Int, _ palette: Palette) -> String {
    let isSent = message["type"]?.string == "send"
    let time = message["time"]?.double.flatMap { time in start.map { DurationText.compact(max(0, time * 1_000 - $0)) } } ?? "-"
    let kind = WebSocketKind(message["opcode"]?.integer)
    let arrow = palette.isUnicode ? (isSent ? "→" : "←") : (isSent ? ">" : "<")
    let head = "\(time.rightAligned(to: 7)) \(palette.apply(isSent ? .cyan : .green, to: arrow)) \(kind.rawValue.padded(to: 6)) "
    return head + text(of: message, kind, width: max(20, width - columnWidth))
  }

  private static func text(of message: HARValue, _ kind: WebSocketKind, width: Int) -> String {
    let data = message["data"]?.string ?? ""
    guard kind.isBytes || message[.encoding] == "base64", let bytes = Base64.decode(data) else {
      return data.printable.elided(to: width)
    }
    if kind == .close, let reason = CloseReason(payload: bytes) { return reason.text.printable.elided(to: width) }
    if bytes.isEmpty, kind != .binary { return "" }
    let size = message[.size]?.integer ?? bytes.count
    guard message[.compressed]?.bool == true else { return ByteLine.text(of: bytes, size: size, width: width) }
    let note = " (compressed)"
    return ByteLine.text(of: bytes, size: size, width: width - note.count) + note
  }
}

/// The content of a WebSocket close frame (RFC 6455, sections 5.5.1 and 7.4).
struct CloseReason: Hashable, Sendable {
  /// `nil` if the frame has no code; the code is optional.
  let code: Int?
  let reason: String

  /// `nil` if the payload is not valid for a close frame.
  init?(payload: [UInt8]) {
    guard payload.count != 1 else { return nil }
    code = payload.isEmpty ? nil : Int(payload[0]) << 8 | Int(payload[1])
    reason = String(decoding: payload.dropFirst(2), as: UTF8.self)
  }

  /// `1001 Going Away: the server restarts`.
  var text: String {
    guard let code else { return "no code" }
    let name = Self.name(of: code).map { " \($0)" } ?? ""
    return "\(code)\(name)\(reason.isEmpty ? "" : ": \(reason)")"
  }

  static func name(of code: Int) -> String? {
    if let (_, name) = names.first(where: { $0.code == code }) { return name }
    switch code {
    case 3000...3999: return "(of a library)"
    case 4000...4999: return "(of the application)"
    default: return nil
    }
  }

  /// IANA's registry "WebSocket Close Code Number".
  static let names: [(code: Int, name: String)] = [
    (1000, "Normal Closure"), (1001, "Going Away"), (1002, "Protocol Error"), (1003, "Unsupported Data"), (1004, "Reserved"),
    (1005, "No Status Received"), (1006, "Abnormal Closure"), (1007, "Invalid Frame Payload Data"), (1008, "Policy Violation"),
    (1009, "Message Too Big"), (1010, "Mandatory Extension"), (1011, "Internal Error"), (1012, "Service Restart"),
    (1013, "Try Again Later"), (1014, "Bad Gateway"), (1015, "TLS Handshake"), (3000, "Unauthorized"), (3003, "Forbidden"),
    (3008, "Timeout"),
  ]
}
