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

  /// A limit that a user has set, or could have set.
  package enum Limit: Hashable, Sendable {
    /// How long connecting, a handshake or a tunnel may take.
    case connecting
    /// How long a response may be waited for.
    case response
    /// How long a connection may be silent while it owes something.
    case silence
    /// How large a head may be.
    case headSize
  }

  package init(origin: Origin, phase: Phase, kind: Kind, message: String, limit: Limit? = nil) {
    self.origin = origin
    self.phase = phase
    self.kind = kind
    self.message = message
    self.limit = limit
  }

  package var description: String {
    "\(origin.rawValue) \(phase.rawValue): \(message)"
  }

  /// The same failure, once its side and phase are known. A channel does not know who its peer is.
  package func at(_ origin: Origin, _ phase: Phase) -> TransportError {
    TransportError(origin: origin, phase: phase, kind: kind, message: message, limit: limit)
  }
}
