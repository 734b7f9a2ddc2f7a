internal import TapelineBase
internal import TapelineHAR

/// The messages of a WebSocket: the first with their content, and the times and sizes of the others.
struct RecordedFrames {
  private(set) var events: [StreamEvent] = []

  init(_ entry: HAREntry) {
    let start = unixNanoseconds(ofDate: entry.startedDateTime).map { Double($0) / 1e6 }
    for message in entry.custom[.webSocketMessages]?.array ?? [] {
      let time = message["time"]?.double.flatMap { time in start.map { max(0, time * 1_000 - $0) } }
      events.append(Self.event(message, time: time))
    }
    guard let text = entry.custom[.webSocketRest]?.string else { return }
    let listed = events.count
    for arrival in ArrivalText(text)?.arrivals(of: 3) ?? [] {
      let kind = WebSocketKind(arrival.mark >> 1)
      events.append(
        StreamEvent(
          time: Double(arrival.time) / 1_000, size: arrival.size, isSent: arrival.mark & 1 == 1, name: kind.rawValue, data: nil,
          hasContent: kind.isContent && arrival.size > 0))
    }
    // A close is kept with its reason, however late it comes.
    if listed > 0 { events.sort { ($0.time ?? 0) < ($1.time ?? 0) } }
  }

  /// Messages that the log does not have at all.
  static func leftOut(of entry: HAREntry) -> Int {
    let dropped = entry.custom[.webSocketMessagesDropped]?.integer ?? 0
    guard let text = entry.custom[.webSocketRest]?.string else { return max(0, dropped) }
    return ArrivalText(text)?.leftOut ?? 0
  }

  private static func event(_ message: HARValue, time: Double?) -> StreamEvent {
    let kind = WebSocketKind(message["opcode"]?.integer ?? -1)
    let text = message["data"]?.string ?? ""
    let isText = kind == .text && message[.encoding]?.string != "base64"
    let data = isText ? Array(text.utf8) : Base64.decode(text)
    let size = message[.size]?.integer ?? data?.count ?? 0
    return StreamEvent(
      time: time, size: size, isSent: message["type"]?.string == "send", name: kind.rawValue, data: data?[...],
      isCompressed: message[.compressed]?.bool == true, hasContent: kind.isContent && size > 0)
  }
}

/// The kinds of WebSocket messages, by their opcodes (RFC 6455, section 11.8).
enum WebSocketKind: String {
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
  var isBytes: Bool { self != .text && self != .other }

  var isContent: Bool { self == .text || self == .binary }
}

extension ArrivalText {
  /// The microseconds from the start to each arrival, its bytes, and what it is.
  ///
  /// - Parameter count: the numbers of each: two of a piece, three of a message.
  func arrivals(of count: Int) -> [(time: Int, size: Int, mark: Int)] {
    var time = 0
    return stride(from: 0, to: numbers.count - count + 1, by: count).map { place in
      time = time.addingSaturating(numbers[place])
      return (time, numbers[place + 1], count > 2 ? numbers[place + 2] : 0)
    }
  }
}
