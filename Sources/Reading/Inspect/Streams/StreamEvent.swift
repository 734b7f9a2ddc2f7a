/// One event of a stream, as a log has it: of an event stream, a line of JSON, a message of a call or of a WebSocket, a part.
package struct StreamEvent: Hashable, Sendable {
  /// Milliseconds from the start of the exchange to the arrival of the event's last byte; `nil` if the log does not say.
  package internal(set) var time: Double?
  /// Bytes on the stream with the event's framing, after content codings were undone.
  package let size: Int
  /// Bytes of the stream up to the byte that completed the event; 0 if the log does not have the event's bytes.
  package internal(set) var end = 0
  /// Whether the client sent it.
  package internal(set) var isSent = false
  /// The name that the format gives it: the value of `event`, else `message`; `:event-type`; `text`, `ping` of a WebSocket;
  /// `message` or `trailers` of a call; the media type of a part.
  package let name: String
  /// The last event ID as of this event; empty in other formats.
  package internal(set) var id = ""
  /// Its payload without framing; the lines of `data` are joined by line feeds. `nil` if the log does not have it.
  package let data: ArraySlice<UInt8>?
  /// Whether the payload is still compressed (gRPC, Connect, permessage-deflate).
  package internal(set) var isCompressed = false
  /// Whether it says something: it is no ping, no end, and not empty.
  package let hasContent: Bool

  /// The payload as text; bytes that are no UTF-8 are replaced.
  package var text: String { data.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
