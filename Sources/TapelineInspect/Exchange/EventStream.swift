internal import TapelineHAR
internal import TapelineText

/// The events of a `text/event-stream`, as a browser reads them (HTML, section 9.2.6 "Interpreting an event stream").
struct EventStream: Hashable, Sendable {
  struct Event: Hashable, Sendable {
    /// The last event ID as of this event; an `id` also applies to the events after it.
    let id: String
    /// The value of `event`, else `message`.
    let name: String
    /// The lines of `data`, joined by line feeds.
    let data: String
    /// Bytes of the stream up to the end of the empty line that completed the event.
    let end: Int
  }

  private(set) var events: [Event] = []
  /// Whether bytes follow the last empty line: the stream ended in the middle of an event, which a browser discards.
  private(set) var isUnfinished = false

  init(_ bytes: [UInt8]) {
    var event = EventDraft()
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let end = bytes[start...].firstIndex(where: { $0 == Byte.lineFeed || $0 == Byte.carriageReturn }) {
      let isPair = bytes[end] == Byte.carriageReturn && end + 1 < bytes.count && bytes[end + 1] == Byte.lineFeed
      if end > start {
        event.take(bytes[start..<end])
      } else if let complete = event.complete(at: end + 1) {
        events.append(complete)
      }
      start = end + (isPair ? 2 : 1)
    }
    isUnfinished = start < bytes.count || event.hasData
  }
}

/// An event while its lines arrive.
private struct EventDraft {
  private var lastID = ""
  private var name = ""
  private var data: String?

  var hasData: Bool { data != nil }

  /// Takes a line that is not empty.
  mutating func take(_ line: ArraySlice<UInt8>) {
    let colon = line.firstIndex(of: Byte.colon) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == Byte.space { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": name = text
    case "data": append(text)
    case "id": if !value.contains(0) { lastID = text }
    // A comment, the reconnection time, or an unknown field.
    default: break
    }
  }

  /// Appends in place: an event may have as many lines as its body.
  private mutating func append(_ text: String) {
    guard data != nil else {
      data = text
      return
    }
    data?.append("\n")
    data?.append(text)
  }

  /// The event that an empty line completes; `nil` if there was nothing to report.
  mutating func complete(at end: Int) -> EventStream.Event? {
    defer {
      name = ""
      data = nil
    }
    return data.map { EventStream.Event(id: lastID, name: name.isEmpty ? "message" : name, data: $0, end: end) }
  }
}

/// The events of a recorded `text/event-stream`, with their arrival times as far as the log has them.
struct RecordedEvents: Sendable, Hashable {
  struct Event: Sendable, Hashable {
    let event: EventStream.Event
    /// Milliseconds from the start of the exchange.
    let time: Double?
  }

  let events: [Event]
  /// Whether the recorded stream ends in the middle of an event.
  let isUnfinished: Bool

  /// `nil` for a response that is not an event stream, or has no body.
  init?(_ entry: HAREntry) {
    let content = entry.response.content
    guard MediaType(content.mimeType).essence == "text/event-stream",
      case .bytes(let bytes) = LoggedBody(response: entry.response)
    else { return nil }
    let stream = EventStream(bytes)
    let times =
      Self.chromeTimes(of: entry, count: stream.events.count) ?? Self.pieceTimes(of: entry, size: bytes.count, stream.events)
    events = stream.events.enumerated().map { Event(event: $1, time: times?[$0]) }
    isUnfinished = stream.isUnfinished
  }

  /// The times in Chrome's own list of events.
  private static func chromeTimes(of entry: HAREntry, count: Int) -> [Double?]? {
    guard let messages = entry.custom["_eventSourceMessages"]?.array, messages.count == count,
      let start = unixNanoseconds(ofDate: entry.startedDateTime)
    else { return nil }
    return messages.map { message in message["time"]?.double.map { max(0, $0 * 1_000 - Double(start) / 1e6) } }
  }

  /// The times of the body's pieces, if the log has the body exactly as received: an event arrived with its last byte.
  private static func pieceTimes(of entry: HAREntry, size: Int, _ events: [EventStream.Event]) -> [Double?]? {
    let content = entry.response.content
    let cut = (content.custom["_truncated"]?.integer ?? 0).addingSaturating(content.unreadText)
    guard let pieces = entry.custom["_chunks"]?.array, size.addingSaturating(cut) == entry.response.bodySize else { return nil }
    var rest = pieces[...]
    var end = 0
    var time: Double?
    return events.map { event in
      while end < event.end, let piece = rest.popFirst() {
        end = end.addingSaturating(max(0, piece["bytes"]?.integer ?? 0))
        time = piece["ts"]?.double
      }
      return end < event.end ? nil : time.map { $0 / 1_000 }
    }
  }
}
