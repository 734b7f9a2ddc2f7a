internal import TapelineHTTP

/// Failures of an upstream proxy. `UpstreamConnection.blamed` names the proxy in front of each message.
extension TransportError {
  /// RFC 9110 9.3.6.
  static func tunnelRefused(_ head: ResponseHead, to route: Route) -> TransportError {
    let reason = head.reason.isEmpty ? "" : " \(head.reason)"
    return TransportError(
      origin: .upstream, phase: .connect, kind: .tunnelRefused(head.status),
      message: "no tunnel to \(route.host):\(route.port): \(head.status)\(reason)")
  }

  static let tunnelTimedOut = TransportError(
    origin: .upstream, phase: .connect, kind: .timedOut, message: "CONNECT was not answered in time", limit: .connecting)

  static let tunnelClosedEarly = TransportError(
    origin: .upstream, phase: .connect, kind: .closed, message: "the connection was closed before CONNECT was answered")

  static let bytesBeforeTunnel = TransportError(
    origin: .upstream, phase: .connect, kind: .protocolViolation,
    message: "bytes came through the tunnel before anything was sent into it")

  /// RFC 9110 15.5.8: the proxy asks who we are. Only we can answer that, so the 407 is not a response for a client.
  static func proxyAuthenticationRequired(_ reason: ProxyAuthorization.Refusal, in phase: Phase) -> TransportError {
    let message =
      switch reason {
      case .unknown: "it asks for a name and a password, and none was given"
      case .refused: "it refuses the given name and password"
      case .unspoken(let schemes): "it offers only \(schemes), and tapeline speaks only Basic and Digest"
      case .tooLate: "it asked for a name and a password while the body was being sent; a repeated request will have them"
      }
    return TransportError(origin: .upstream, phase: phase, kind: .proxyAuthenticationRequired, message: message)
  }
}
