internal import TapelineHTTP
package import TapelineLoop
package import TapelineTLS

/// The loop's errors, in the words of an exchange.
extension TransportError {
  package init(_ error: LoopError, origin: Origin, phase: Phase) {
    self.init(
      origin: origin, phase: phase, kind: Kind(error.kind), message: error.message,
      limit: error.kind == .tooLate ? .connecting : nil)
  }

  /// Why there is no connection to `host`.
  package init(_ error: LoopError, connectingTo host: String) {
    switch error.kind {
    case .nameNotFound, .resolverFailure:
      self.init(error, origin: .upstream, phase: .dns)
    case .resolverBusy:
      self.init(error, origin: .local, phase: .dns)
    case .tooManyFiles, .addressNotAvailable, .permissionDenied:
      // Our failure, not the origin's.
      self.init(error, origin: .local, phase: .connect)
    case .prohibited(let addresses):
      let list = addresses.map(\.host).joined(separator: ", ")
      self.init(
        origin: .client, phase: .connect, kind: .destinationProhibited,
        message: "this proxy may not take its client to \(list == host ? host : "\(host), which is \(list)")")
    case .refused, .reset, .unreachable, .timedOut, .tooLate, .addressInUse, .cancelled, .other:
      self.init(error, origin: .upstream, phase: .connect)
    }
  }
}

extension TransportError.Kind {
  init(_ kind: LoopError.Kind) {
    self =
      switch kind {
      case .nameNotFound: .nameNotFound
      case .resolverFailure, .resolverBusy: .resolverFailure
      case .prohibited: .destinationProhibited
      case .refused: .refused
      case .reset: .reset
      case .unreachable: .unreachable
      case .timedOut, .tooLate: .timedOut
      case .tooManyFiles: .tooManyFiles
      case .addressInUse: .addressInUse
      case .addressNotAvailable: .addressNotAvailable
      case .permissionDenied: .permissionDenied
      case .cancelled: .cancelled
      case .other(let code): .other(code)
      }
  }
}

extension TransportError {
  /// The meaning of a TLS failure for callers that know nothing of TLS. The owner of the connection knows whose failure it is.
  package init(_ error: TLSError) {
    self.init(origin: .local, phase: .tls, kind: Kind(error.kind), message: error.message)
  }
}

extension TransportError.Kind {
  init(_ kind: TLSError.Kind) {
    self =
      switch kind {
      case .certificate(let problem): .certificate(problem)
      case .peerAlert(let alert): .alert(alert.name)
      case .truncated: .closed
      case .protocolVersion, .noSharedCipher, .noApplicationProtocol, .notTLS, .protocolViolation, .configuration:
        .protocolViolation
      }
  }
}

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
