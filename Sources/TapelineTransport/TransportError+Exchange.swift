internal import TapelineHTTP
internal import TapelineLoop

/// Failures of an attempt that do not come from a system call.
extension TransportError {
  package static let cancelled = TransportError(
    origin: .local, phase: .receive, kind: .cancelled, message: "the task was cancelled")

  /// The other end of a connection, in a message.
  enum Peer: String {
    case origin = "the origin"
    /// The message has already named it.
    case proxy = "it"
  }

  static func timedOut(in phase: Phase, of peer: Peer = .origin, limit: Limit) -> TransportError {
    TransportError(
      origin: .upstream, phase: phase, kind: .timedOut, message: "\(peer.rawValue) did nothing for too long", limit: limit)
  }

  /// The peer closed before it answered.
  static func closedEarly(in phase: Phase, by peer: Peer = .origin) -> TransportError {
    TransportError(
      origin: .upstream, phase: phase, kind: .closed,
      message: "\(peer.rawValue) closed the connection before its response was complete")
  }

  static func malformedResponse(_ error: HTTPParseError) -> TransportError {
    let kind: Kind =
      if error.isAboutSize { .headTooLarge } else if error.isAboutTransferCoding { .transferCoding } else { .protocolViolation }
    return TransportError(
      origin: .upstream, phase: .receive, kind: kind, message: error.message, limit: error.isAboutHeaderSize ? .headSize : nil)
  }

  /// RFC 9112 6.1: chunks are sent only to a server that is known to understand them.
  static func lengthRequired(by route: Route, limit: Int) -> TransportError {
    TransportError(
      origin: .client, phase: .send, kind: .lengthRequired,
      message: "\(route.authority) speaks HTTP/1.0, which has no chunks, and the request's content is longer than the"
        + " \(limit) bytes that tapeline holds to find its length; send it with Content-Length (RFC 9112 6.3)")
  }

  /// RFC 9110 15.2.2: only a client that asked to upgrade may be told to switch.
  static let unsolicitedUpgrade = TransportError(
    origin: .upstream, phase: .receive, kind: .protocolViolation,
    message: "the origin switched protocols although the client had not asked (RFC 9110 15.2.2)")

  /// The origin closed inside its response.
  static func truncatedResponse(_ error: HTTPParseError) -> TransportError {
    TransportError(origin: .upstream, phase: .receive, kind: .closed, message: error.message)
  }

  /// Content that is delimited by the close of a TLS connection ends with close_notify: anybody may have sent a bare FIN
  /// (RFC 9112 9.8).
  static let cutOffResponse = TransportError(
    origin: .upstream, phase: .receive, kind: .closed,
    message: "the connection ended without close_notify, so the response may be incomplete (RFC 9112 9.8)")

  /// The source of the body promised more bytes.
  static func shortBody(missing: UInt64) -> TransportError {
    TransportError(
      origin: .local, phase: .send, kind: .protocolViolation,
      message: "the request's body ended \(missing) bytes before its announced length")
  }

  /// The task as a whole took too long.
  static let tookTooLong = TransportError(
    origin: .local, phase: .receive, kind: .timedOut, message: "the task took longer than its time-out")

  /// A client names us as the origin, or our own configuration names us as the upstream proxy.
  static func loopDetected(_ peer: SocketAddress, isProxy: Bool) -> TransportError {
    TransportError(
      origin: isProxy ? .upstream : .client, phase: .connect, kind: .loopDetected,
      message: "\(peer) is this proxy itself: the request would loop for ever")
  }
}
