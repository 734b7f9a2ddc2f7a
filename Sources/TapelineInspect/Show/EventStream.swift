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

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  init(_ bytes: [UInt8]) {
    var event = EventDraft()
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let end = bytes[start...].firstIndex(where: { $0 == Self.lineFeed || $0 == Self.carriageReturn }) {
      let isPair = bytes[end] == Self.carriageReturn && end + 1 < bytes.count && bytes[end + 1] == Self.lineFeed
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
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
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
