internal import TapelineBase
package import TapelineHAR

/// A streamed response, or the messages of both sides, as events with the times of their last bytes.
///
/// Pieces are not events: several events may come in one, and one in several.
package struct RecordedStream: Hashable, Sendable {
  package let format: StreamFormat
  /// Those that the log has, in the order of their ends; of calls and WebSockets also what the client sent.
  package private(set) var events: [StreamEvent] = []
  /// Whether the recorded body ends in the middle of an event.
  package private(set) var isUnfinished = false
  /// Pieces in which the body came, of which the log has times; 0 for messages, which have times of their own.
  package let pieceCount: Int
  /// Events that passed, and that the log has neither as bytes nor as times: those of the server in a call.
  package private(set) var leftOut = 0

  /// The parts of an entry that have its stream.
  package static let parts: HAREntryParts = [.bodies, .custom]

  /// `nil` for an exchange that is no stream, and for one whose body the log does not have.
  package init?(_ entry: HAREntry) {
    guard let format = StreamFormat(entry) else { return nil }
    self.format = format
    let pieces = RecordedPieces(entry)
    pieceCount = pieces.times.count
    switch format {
    case .webSocket: (events, leftOut) = (RecordedFrames(entry).events, RecordedFrames.leftOut(of: entry))
    case .grpc:
      guard let call = RecordedCall(entry) else { return nil }
      adoptCall(call, of: entry)
    case .eventStream, .jsonLines, .jsonSequence, .connect, .amazon, .parts:
      guard case .bytes(let bytes) = LoggedBody(response: entry.response) else { return nil }
      adopt(Self.decoded(bytes, format, type: entry.response.content.mimeType), of: entry, size: bytes.count, pieces)
    }
  }

  /// The server's events. The trailers of a call are none.
  package var received: [StreamEvent] {
    let hasTrailers = format == .grpc || format == .connect
    return events.filter { !$0.isSent && !(hasTrailers && $0.name == "trailers") }
  }

  private static func decoded(_ bytes: [UInt8], _ format: StreamFormat, type: String) -> DecodedEvents {
    switch format {
    case .eventStream: DecodedEvents(eventStream: bytes)
    case .jsonLines: DecodedEvents(jsonLines: bytes)
    case .jsonSequence: DecodedEvents(jsonSequence: bytes)
    case .connect, .grpc: DecodedEvents(prefixed: bytes)
    case .amazon: DecodedEvents(amazon: bytes)
    case .parts: MediaType(type)["boundary"].map { DecodedEvents(parts: bytes, boundary: $0) } ?? DecodedEvents()
    case .webSocket: DecodedEvents()
    }
  }

  /// An event came with its last byte.
  private mutating func adopt(_ decoded: DecodedEvents, of entry: HAREntry, size: Int, _ pieces: RecordedPieces) {
    let response = entry.response
    let cut = (response.content.custom[.truncated]?.integer ?? 0).addingSaturating(response.content.unreadText)
    let isAsReceived = size.addingSaturating(cut) == response.bodySize
    events = decoded.events
    isUnfinished = decoded.isUnfinished
    let whole = size.addingSaturating(response.content.unreadText)
    let times =
      Self.chromeTimes(of: entry, count: events.count)
      ?? pieces.times(at: events.map(\.end), of: whole, isAsReceived: isAsReceived)
    guard let times else { return }
    for (index, time) in times.enumerated() { events[index].time = time }
  }

  /// The times in Chrome's own list of events.
  private static func chromeTimes(of entry: HAREntry, count: Int) -> [Double?]? {
    guard let messages = entry.custom[.eventSourceMessages]?.array, messages.count == count,
      let start = unixNanoseconds(ofDate: entry.startedDateTime)
    else { return nil }
    return messages.map { message in message["time"]?.double.map { max(0, $0 * 1_000 - Double(start) / 1e6) } }
  }

  /// The messages of a call have times of their own, and the bodies their payloads, as far as the log has them.
  private mutating func adoptCall(_ call: RecordedCall, of entry: HAREntry) {
    func payloads(_ body: LoggedBody, type: String) -> [StreamEvent] {
      guard case .bytes(let bytes) = body else { return [] }
      let isText = MediaType(type).essence.hasPrefix("application/grpc-web-text")
      return DecodedEvents(prefixed: isText ? DecodedEvents.bytes(ofWebText: bytes) : bytes).events
    }
    var sent = payloads(LoggedBody(request: entry.request), type: entry.request.postData?.mimeType ?? "")[...]
    var received = payloads(LoggedBody(response: entry.response), type: entry.response.content.mimeType)[...]
    let start = unixNanoseconds(ofDate: entry.startedDateTime).map { Double($0) / 1e6 }
    let prefix = 5
    events = (call.messages + call.rest(of: entry)).map { message in
      let known = message.isSent ? sent.popFirst() : received.popFirst()
      let size = message.size ?? 0
      return StreamEvent(
        time: message.time.flatMap { time in start.map { max(0, time * 1_000 - $0) } }, size: size + prefix,
        end: known?.end ?? 0, isSent: message.isSent, name: message.isTrailers ? "trailers" : "message",
        data: known.flatMap { $0.data?.count == size ? $0.data : nil }, isCompressed: message.isCompressed,
        hasContent: !message.isTrailers && size > 0)
    }
    leftOut = max(0, call.responseMessages - events.count { !$0.isSent && $0.name == "message" })
  }
}
