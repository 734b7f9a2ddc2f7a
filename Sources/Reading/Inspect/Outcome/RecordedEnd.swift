package import TapelineHAR

/// The client ended the exchange before it was complete, which is not a failure: it closed a stream or gave up a prefetch.
package struct RecordedEnd: Sendable, Hashable {
  /// The phase in which the client ended the exchange, with the names of `_error`.
  package let phase: String

  /// Reads `_ended`; `nil` when the exchange was completed or failed.
  package init?(_ entry: HAREntry) {
    guard let end = entry.custom[.ended], case .object = end else { return nil }
    phase = end["phase"]?.string ?? "unknown"
  }

  /// `ended by the client while waiting`.
  package var text: String {
    "ended by the client \(moment)"
  }

  /// Whether the exchange was still in flight when this log was copied (`_inFlight`).
  package static func isOutstanding(for entry: HAREntry) -> Bool {
    entry.custom[.inFlight] == .bool(true)
  }

  private var moment: String {
    switch phase {
    case "request": "while it was sending the request"
    case "dns": "while the host's name was looked up"
    case "connect": "while a connection was opened"
    case "tls": "while TLS was set up"
    case "send": "while the request was sent on"
    case "wait": "while waiting"
    case "receive": "while receiving"
    case let other: "in phase \(other)"
    }
  }
}
