internal import TapelineHTTP
package import TapelineLoop

/// The ways in which an attempt fails that are not a system call's.
extension TransportError {
  package static let cancelled = TransportError(
    origin: .local, phase: .receive, kind: .cancelled, message: "the task was cancelled")

  static func timedOut(in phase: Phase) -> TransportError {
    TransportError(origin: .upstream, phase: phase, kind: .timedOut, message: "the origin did nothing for too long")
  }

  /// The origin closed before it answered.
  static func closedEarly(in phase: Phase) -> TransportError {
    TransportError(
      origin: .upstream, phase: phase, kind: .closed, message: "the origin closed the connection before its response was complete"
    )
  }

  static func malformedResponse(_ error: HTTPParseError) -> TransportError {
    let kind: Kind =
      if error.isAboutSize { .headTooLarge } else if error.isAboutTransferCoding { .transferCoding } else { .protocolViolation }
    return TransportError(origin: .upstream, phase: .receive, kind: kind, message: error.message)
  }

  /// RFC 9112 6.1: only a server that is known to understand chunks is sent them.
  static func lengthRequired(by route: Route, limit: Int) -> TransportError {
    TransportError(
      origin: .client, phase: .send, kind: .lengthRequired,
      message: "\(route.authority) speaks HTTP/1.0, which has no chunks, and the request's content is longer than the"
        + " \(limit) octets that are held to find out its length; send it with Content-Length (RFC 9112 6.3)")
  }

  /// RFC 9110 15.2.2: only a client that asked to upgrade may be told to switch.
  static let unsolicitedUpgrade = TransportError(
    origin: .upstream, phase: .receive, kind: .protocolViolation,
    message: "the origin switched protocols although nobody had asked (RFC 9110 15.2.2)")

  /// The origin closed inside its response.
  static func truncatedResponse(_ error: HTTPParseError) -> TransportError {
    TransportError(origin: .upstream, phase: .receive, kind: .closed, message: error.message)
  }

  /// What is delimited by the close of a TLS connection ends with close_notify: a bare FIN may be anyone's (RFC 9112 9.8).
  static let cutOffResponse = TransportError(
    origin: .upstream, phase: .receive, kind: .closed,
    message: "the connection ended without close_notify, so the response may be incomplete (RFC 9112 9.8)")

  /// Whoever gives the body promised more.
  static func shortBody(missing: UInt64) -> TransportError {
    TransportError(
      origin: .local, phase: .send, kind: .protocolViolation,
      message: "the request's body ended \(missing) octets before its announced length")
  }

  /// The whole of a task took longer than it may.
  static let tookTooLong = TransportError(
    origin: .local, phase: .receive, kind: .timedOut, message: "the task took longer than it was given")

  /// RFC 9110 9.3.6.
  static func tunnelRefused(_ head: ResponseHead, to route: Route) -> TransportError {
    let reason = head.reason.isEmpty ? "" : " \(head.reason)"
    return TransportError(
      origin: .upstream, phase: .connect, kind: .tunnelRefused(head.status),
      message: "no tunnel to \(route.host):\(route.port): \(head.status)\(reason)")
  }

  static let octetsBeforeTunnel = TransportError(
    origin: .upstream, phase: .connect, kind: .protocolViolation,
    message: "octets came through the tunnel before anything was sent into it")

  static func loopDetected(_ peer: SocketAddress) -> TransportError {
    TransportError(
      origin: .client, phase: .connect, kind: .loopDetected,
      message: "\(peer) is this proxy itself: the request would go round for ever")
  }
}
