internal import TapelineBase
internal import TapelineHTTP

/// Counts the events of a response that is a stream, as they pass: events of an event stream, lines of JSON lines, messages of a
/// gRPC call, and a server's messages of a WebSocket. It keeps none of them.
struct EventCounter {
  private enum Format {
    case lines(EventLines)
    case call(GRPCMessageObserver)
    case socket(WebSocketObserver)
  }

  private var format: Format
  private var count: UInt64 = 0

  /// `nil` for a response that has no events which can be counted.
  init?(_ head: ResponseHead, isWebSocket: Bool) {
    let type = head.fields.first(of: .contentType).map { MediaType($0).essence } ?? ""
    let isEvents = type == "text/event-stream"
    if isWebSocket {
      var limits = WebSocketObserver.Limits()
      limits.messages = 0
      format = .socket(WebSocketObserver(limits: limits))
    } else if let call = GRPCFormat(of: head.fields) {
      format = .call(GRPCMessageObserver(call))
    } else if !head.isCompressed, isEvents || ["ndjson", "jsonl", "stream+json"].contains(where: { type.contains($0) }) {
      format = .lines(EventLines(isEventStream: isEvents))
    } else {
      return nil
    }
  }

  /// How many of the next bytes there are up to the end of the event with this number; `nil` if they do not have it.
  mutating func end(of number: UInt64, in bytes: Span<UInt8>) -> Int? {
    let before = self
    receive(bytes)
    guard before.count < number, count >= number else { return nil }
    // Once for each response: byte by byte, to the place.
    self = before
    return bytes.indices.first { index in
      receive(bytes.extracting(index...index))
      return count >= number
    }.map { $0 + 1 }
  }

  private mutating func receive(_ bytes: Span<UInt8>) {
    switch format {
    case .lines(var lines):
      for index in bytes.indices where lines.take(bytes[index]) { count += 1 }
      format = .lines(lines)
    case .call(var observer):
      observer.receive(bytes) { if !$0.isTrailers { count += 1 } }
      format = .call(observer)
    case .socket(var observer):
      observer.receive(bytes) { if !$0.opcode.isControl { count += 1 } }
      format = .socket(observer)
    }
  }
}

/// The ends of events in lines that end with LF or CR LF: in an event stream an empty line after one with data (HTML, section
/// 9.2.6), else each line that is not empty.
private struct EventLines {
  let isEventStream: Bool
  /// Bytes of the line so far.
  var length = 0
  /// Whether they begin a line with data, and whether the event has such a line.
  var isData = true
  var hasData = false

  private static let data = Array("data:".utf8)

  /// Whether the byte ends an event.
  mutating func take(_ byte: UInt8) -> Bool {
    guard byte == Byte.lineFeed else {
      guard byte != Byte.carriageReturn else { return false }
      isData = isData && (length > 4 || byte == Self.data[length])
      length += 1
      return false
    }
    let line = (length: length, isData: isData && length > 3)
    (length, isData) = (0, true)
    guard isEventStream else { return line.length > 0 }
    let endsEvent = line.length == 0 && hasData
    hasData = line.isData || hasData && line.length > 0
    return endsEvent
  }
}
