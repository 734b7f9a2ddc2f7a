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

extension TransportError {
  /// Whether TLS has failed after its handshake, which is not one of the ends that a connection without a request may have.
  var brokeTLS: Bool {
    if case .alert = kind { true } else { kind == .protocolViolation }
  }

  /// The failure as what it is, if the origin has asked for a certificate, got none, and has gone without an answer.
  var afterMissingCertificate: TransportError {
    let how: String
    switch kind {
    case .alert(let name):
      guard Self.alertsAboutCertificates.contains(name) else { return self }
      how = "ended the connection with the alert \(name)"
    case .closed, .reset:
      how = "closed the connection"
    case .nameNotFound, .resolverFailure, .refused, .unreachable, .timedOut, .tooManyFiles, .addressInUse,
      .addressNotAvailable, .permissionDenied, .protocolViolation, .headTooLarge, .transferCoding, .streamReset, .certificate,
      .tunnelRefused, .proxyAuthenticationRequired, .loopDetected, .destinationProhibited, .lengthRequired, .cancelled, .other:
      return self
    }
    return TransportError(
      origin: origin, phase: .tls, kind: kind,
      message: "the origin asked for a client certificate, got none from tapeline, and \(how)", limit: limit,
      demandsCertificate: true)
  }

  /// By which a server says that it wants one: in TLS 1.3 by a name of its own (RFC 8446 6.2), before as its library likes.
  private static let alertsAboutCertificates: Set<String> = [
    "certificate_required", "handshake_failure", "no_certificate", "bad_certificate", "certificate_unknown", "access_denied",
  ]
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

/// Failures of an upstream proxy.
extension TransportError {
  /// Names the hop that has failed: every failure with a proxy that forwards is the proxy's, and so is every failure before a
  /// tunnel is open.
  ///
  /// - Parameter proxy: where the connection leads; `nil`: to the origin.
  func blamed(on proxy: UpstreamProxy?, of route: Route) -> TransportError {
    guard let proxy, origin == .upstream else { return self }
    let comesBeforeOrigin =
      switch phase {
      case .setUp, .dns, .connect: true
      case .tls, .send, .wait, .receive: route.isForwarding
      }
    guard comesBeforeOrigin else { return self }
    return TransportError(
      origin: .proxy, phase: phase, kind: kind, message: "upstream proxy \(proxy.authority): \(message)", limit: limit)
  }

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

  /// A proxy that speaks SOCKS has not connected us (RFC 1928 6).
  static func tunnelRefused(_ failure: SOCKSHandshake.Failure, to route: Route, hadCredential: Bool) -> TransportError {
    switch failure {
    case .noMethod: return proxyAuthenticationRequired(hadCredential ? .refused : .unknown, in: .connect)
    case .wrongPassword: return proxyAuthenticationRequired(.refused, in: .connect)
    case .malformed(let problem):
      return TransportError(
        origin: .upstream, phase: .connect, kind: .protocolViolation, message: "its SOCKS is malformed: \(problem)")
    case .refused(let code):
      let (kind, words): (Kind, String) =
        switch code {
        case 2: (.refused, "its rules do not allow that")
        case 3: (.unreachable, "the network is unreachable")
        case 4: (.unreachable, "the host is unreachable")
        case 5: (.refused, "the connection was refused")
        case 6: (.timedOut, "its packets expired on the way")
        case 7: (.protocolViolation, "it does not know the command CONNECT")
        case 8: (.protocolViolation, "it does not know this type of address")
        default: (.unreachable, "it failed (\(code))")
        }
      return TransportError(
        origin: .upstream, phase: .connect, kind: kind, message: "no tunnel to \(route.host):\(route.port): \(words)")
    }
  }

  static func tooLongForSOCKS(_ route: Route) -> TransportError {
    TransportError(
      origin: .upstream, phase: .connect, kind: .protocolViolation,
      message: "SOCKS has no room for the host \(route.host), or for the given name or password: each has more than 255 bytes")
  }

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
