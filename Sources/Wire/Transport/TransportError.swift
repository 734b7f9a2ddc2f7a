package import TapelineHTTP
package import TapelineHTTP2
internal import TapelineLoop
internal import TapelineSystem
package import TapelineTLS

/// Why something on the wire did not work: whose side failed, in which phase, the kind of failure, and a sentence for people.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whose side failed.
  package enum Origin: String, Sendable {
    case client
    case upstream
    /// The upstream proxy, on the way to the origin.
    case proxy = "upstream-proxy"
    /// This machine: no descriptors, an address in use, a cancellation.
    case local
  }

  /// The phase in which it failed.
  package enum Phase: String, Sendable {
    /// Before any traffic: loops, listeners, threads.
    case setUp = "set-up"
    case dns
    case connect
    case tls
    case send
    case wait
    case receive
  }

  package enum Kind: Hashable, Sendable {
    case nameNotFound
    case resolverFailure
    case refused
    case reset
    case unreachable
    case timedOut
    /// The peer closed, although it owed more.
    case closed
    case tooManyFiles
    case addressInUse
    case addressNotAvailable
    case permissionDenied
    /// The peer does not speak the protocol; the message says which rule it broke.
    case protocolViolation
    /// The peer's header fields are larger than we accept.
    case headTooLarge
    /// The peer frames its message by a transfer coding that we cannot undo.
    case transferCoding
    /// The peer ended the stream with this code (RFC 9113 7).
    case streamReset(HTTP2ErrorCode)
    /// The peer's certificate was refused.
    case certificate(CertificateProblem)
    /// The peer ended the connection with this fatal alert, by its name in RFC 8446 6.
    case alert(String)
    /// The upstream proxy answered CONNECT with this status.
    case tunnelRefused(Int)
    /// The upstream proxy asks who we are, and cannot be told.
    case proxyAuthenticationRequired
    /// The request would have come back to us.
    case loopDetected
    /// The host has no address that the client is allowed to reach.
    case destinationProhibited
    /// The origin needs to know the request's length, and the request is too large for us to hold while we find it out.
    case lengthRequired
    case cancelled
    /// Any other `errno` code.
    case other(Int32)
  }

  package var origin: Origin
  package var phase: Phase
  package let kind: Kind
  package let message: String
  /// The limit of our own that ended the attempt; `nil` if no limit of ours did.
  package let limit: Limit?
  /// Whether the origin ended the connection because we have no certificate to show.
  package let demandsCertificate: Bool

  /// A limit that a user has set, or could have set.
  package enum Limit: Hashable, Sendable {
    /// How long connecting, a handshake or a tunnel may take.
    case connecting
    /// How long a response may be waited for.
    case response
    /// How long a connection may be silent while it owes something.
    case silence
    /// How much of a head is held.
    case head(HeadBound)
    /// A rule about messages that two readers could understand differently, by the name under which it can be lifted.
    case rule(String)
  }

  package init(
    origin: Origin, phase: Phase, kind: Kind, message: String, limit: Limit? = nil, demandsCertificate: Bool = false
  ) {
    self.origin = origin
    self.phase = phase
    self.kind = kind
    self.message = message
    self.limit = limit
    self.demandsCertificate = demandsCertificate
  }

  package var description: String {
    "\(origin.rawValue) \(phase.rawValue): \(message)"
  }

  /// The same failure, once its side and phase are known. A channel does not know who its peer is.
  package func at(_ origin: Origin, _ phase: Phase) -> TransportError {
    TransportError(
      origin: origin, phase: phase, kind: kind, message: message, limit: limit, demandsCertificate: demandsCertificate)
  }
}

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
      origin: .upstream, phase: .receive, kind: kind, message: error.message,
      limit: error.bound.map { .head($0) } ?? error.toleration.map { .rule($0) })
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
