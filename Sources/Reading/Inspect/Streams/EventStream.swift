internal import TapelineBase

/// The events that a decoder finds in the bytes of a body: whole ones, in their order.
struct DecodedEvents: Hashable, Sendable {
  var events: [StreamEvent] = []
  /// Whether bytes follow that are the beginning of an event.
  var isUnfinished = false

  init() {}

  /// Where the next event's bytes begin.
  var end: Int { events.last?.end ?? 0 }
}

extension DecodedEvents {
  /// The events of a `text/event-stream`, as a browser reads them (HTML, section 9.2.6 "Interpreting an event stream"). What is
  /// not complete at the end of the body is no event.
  init(eventStream bytes: [UInt8]) {
    var event = EventDraft()
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var start = bytes.starts(with: mark) ? mark.count : 0
    while let end = bytes[start...].firstIndex(where: { $0 == Byte.lineFeed || $0 == Byte.carriageReturn }) {
      if end > start {
        event.take(bytes[start..<end])
      } else if let complete = event.complete(from: self.end, to: end + 1) {
        events.append(complete)
      }
      let isPair = bytes[end] == Byte.carriageReturn && end + 1 < bytes.count && bytes[end + 1] == Byte.lineFeed
      start = end + (isPair ? 2 : 1)
    }
    isUnfinished = start < bytes.count || event.hasData
  }
}

/// An event while its lines arrive.
private struct EventDraft {
  private var lastID = ""
  private var name = ""
  private var data: ArraySlice<UInt8>?

  var hasData: Bool { data != nil }

  /// Events that say no more than that the server is there, or that there are no more.
  private static let signals: Set<String> = ["ping", "heartbeat", "keepalive", "keep-alive"]
  private static let end = Array("[DONE]".utf8)

  /// Takes a line that is not empty.
  mutating func take(_ line: ArraySlice<UInt8>) {
    let colon = line.firstIndex(of: Byte.colon) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == Byte.space { value = value.dropFirst() }
    let field = line[..<colon]
    if field.elementsEqual("data".utf8) {
      append(value)
    } else if field.elementsEqual("event".utf8) {
      name = String(decoding: value, as: UTF8.self)
    } else if field.elementsEqual("id".utf8), !value.contains(0) {
      lastID = String(decoding: value, as: UTF8.self)
    }
    // Anything else is a comment, the reconnection time, or an unknown field.
  }

  /// Appends in place: an event may have as many lines as its body.
  private mutating func append(_ value: ArraySlice<UInt8>) {
    guard data != nil else {
      data = value
      return
    }
    data?.append(Byte.lineFeed)
    data?.append(contentsOf: value)
  }

  /// The event that an empty line completes; `nil` if there was nothing to report.
  mutating func complete(from start: Int, to end: Int) -> StreamEvent? {
    defer {
      name = ""
      data = nil
    }
    guard let data else { return nil }
    let isSignal = Self.signals.contains(name) || data.elementsEqual(Self.end)
    return StreamEvent(
      size: end - start, end: end, name: name.isEmpty ? "message" : name, id: lastID, data: data,
      hasContent: !data.isEmpty && !isSignal)
  }
}
