internal import TapelineHAR
internal import TapelineText

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
      case .bytes(let bytes) = RecordedBody(response: entry.response)
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
