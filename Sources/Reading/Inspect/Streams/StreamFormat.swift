internal import TapelineBase
package import TapelineHAR

/// How the events of a stream are told apart.
package enum StreamFormat: String, Hashable, Sendable {
  /// `text/event-stream` (HTML, section 9.2).
  case eventStream = "event stream"
  /// A JSON text per line.
  case jsonLines = "JSON lines"
  /// RFC 7464: a record separator before each JSON text, and a line feed behind it.
  case jsonSequence = "JSON sequence"
  /// gRPC, gRPC-Web and gRPC-Web in base64.
  case grpc = "gRPC"
  /// The streams of Connect, which frame as gRPC does.
  case connect = "Connect"
  case webSocket = "WebSocket"
  /// `application/vnd.amazon.eventstream`.
  case amazon = "AWS event stream"
  /// `multipart/x-mixed-replace` and `multipart/mixed`.
  case parts = "multipart"

  /// The format of a response; `nil` if it is no stream.
  package init?(_ entry: HAREntry) {
    if entry.custom[.webSocketMessages] != nil {
      self = .webSocket
    } else if entry.custom[.grpc] != nil {
      self = .grpc
    } else if let format = Self.ofType[MediaType(entry.response.content.mimeType).essence] {
      self = format
    } else {
      return nil
    }
  }

  /// Whether the events are those of a response's body; messages have lists of their own.
  var isOfBody: Bool { self != .grpc && self != .webSocket }

  private static let ofType: [String: StreamFormat] = [
    "text/event-stream": .eventStream, "application/x-ndjson": .jsonLines, "application/ndjson": .jsonLines,
    "application/jsonl": .jsonLines, "application/x-jsonlines": .jsonLines, "application/jsonlines": .jsonLines,
    "application/stream+json": .jsonLines, "application/json-seq": .jsonSequence,
    "application/connect+json": .connect, "application/connect+proto": .connect,
    "application/vnd.amazon.eventstream": .amazon,
    "multipart/x-mixed-replace": .parts, "multipart/mixed": .parts,
  ]
}
