package import TapelineHTTP
package import TapelineHTTP2
internal import TapelineTLS
package import TapelineTransport

extension ExchangeRecord {
  /// Why the exchange did not complete.
  package struct Failure: Sendable {
    /// Whose fault it was.
    package enum Origin: String, Sendable {
      case client
      case upstream
      /// The upstream proxy, on the way to the origin.
      case upstreamProxy = "upstream-proxy"
      /// This machine, or a limit of tapeline.
      case local
    }

    package let origin: Origin
    package let phase: Phase
    package let kind: Kind
    /// A sentence for people.
    package let message: String
    /// The option whose limit ended the exchange; `nil` when no option's limit did.
    package let option: String?

    package init(origin: Origin, phase: Phase, kind: Kind, message: String, option: String? = nil) {
      self.origin = origin
      self.phase = phase
      self.kind = kind
      self.message = message
      self.option = option
    }

    /// The proxy was stopped while the exchange was in flight: its record is incomplete.
    package static let shutdown = Failure(
      origin: .local, phase: .receive, kind: .shutDown, message: "tapeline was stopped before the exchange was complete")

    /// RFC 6455 7.1.5.
    package static let webSocketDropped = Failure(
      origin: .upstream, phase: .receive, kind: .transport(.closed),
      message: "the server ended the WebSocket connection without a close frame")

    /// The transport's error, in the record's words.
    ///
    /// - Parameter option: by which a user sets the limit that has ended the attempt.
    package init(_ error: TransportError, option: String?) {
      // The failure is ours if it comes from one of our limits.
      self.init(
        origin: error.limit?.isOurs == true ? .local : Origin(error.origin), phase: Phase(error.phase),
        kind: .transport(error.kind), message: error.message + (option.map { " (\($0))" } ?? ""), option: option)
    }

    package var isShutdown: Bool { kind == .shutDown }
  }

  /// The phase of an exchange. The raw value is the word in the log.
  package enum Phase: String, Sendable {
    /// The client's own message.
    case request
    /// Before any traffic.
    case setUp = "set-up"
    case dns
    case connect
    case tls
    case send
    case wait
    case receive

    package init(_ phase: TransportError.Phase) {
      self =
        switch phase {
        case .setUp: .setUp
        case .dns: .dns
        case .connect: .connect
        case .tls: .tls
        case .send: .send
        case .wait: .wait
        case .receive: .receive
        }
    }
  }
}

extension ExchangeRecord.Failure {
  /// The kind of failure.
  package enum Kind: Hashable, Sendable {
    /// A connection, or the data that came over it, failed.
    case transport(TransportError.Kind)
    /// The client's bytes were not a request.
    case malformed(HTTPParseError.Kind)
    /// The client broke a rule or a limit of HTTP/2.
    case http2(HTTP2Violation)
    /// A request that the proxy does not forward: its scheme, its target, its `Expect`, a CONNECT inside a tunnel that tapeline
    /// reads.
    case unsupportedScheme
    case unsupportedTarget
    case nestedTunnel
    /// The client's bytes begin like SOCKS, and break its rules.
    case malformedSOCKS
    /// The client asked for something other than a connection of TCP: BIND or UDP of SOCKS, UDP by `connect-udp`.
    case unsupportedCommand
    /// The user has forbidden the host.
    case hostDenied
    /// The client may not use the proxy, or has tried too often.
    case proxyAuthenticationRequired
    case tooManyAttempts
    /// The client spoke TLS to the listener: without interception, or without a host name.
    case tlsToProxy
    case noServerName
    /// tapeline has no certificate to show to the client.
    case noCertificate
    case shutDown
    /// A rule of the user's has ended the exchange.
    case injected
    /// tapeline itself has crashed. Not an exchange's.
    case crash

    /// A short stable word for scripts.
    package var name: String {
      switch self {
      case .transport(let kind): kind.name
      case .malformed(let kind): kind.rawValue
      case .http2(let violation): violation.name
      case .unsupportedScheme: "unsupported-scheme"
      case .unsupportedTarget: "unsupported-target"
      case .nestedTunnel: "nested-tunnel"
      case .malformedSOCKS: "malformed-socks"
      case .unsupportedCommand: "unsupported-command"
      case .hostDenied: "host-denied"
      case .proxyAuthenticationRequired: "proxy-authentication-required"
      case .tooManyAttempts: "too-many-attempts"
      case .tlsToProxy: "tls-to-proxy"
      case .noServerName: "no-server-name"
      case .noCertificate: "no-certificate"
      case .shutDown: "shut-down"
      case .injected: "injected"
      case .crash: "crash"
      }
    }
  }
}

extension ExchangeRecord.Failure.Origin {
  fileprivate init(_ origin: TransportError.Origin) {
    self =
      switch origin {
      case .client: .client
      case .upstream: .upstream
      case .proxy: .upstreamProxy
      case .local: .local
      }
  }
}

extension TransportError.Limit {
  /// Whether the peer did nothing that it must not do.
  fileprivate var isOurs: Bool {
    switch self {
    case .connecting, .response, .silence, .head: true
    case .rule: false
    }
  }
}

extension TransportError.Kind {
  fileprivate var name: String {
    switch self {
    case .nameNotFound: "name-not-found"
    case .resolverFailure: "resolver-failure"
    case .refused: "refused"
    case .reset: "reset"
    case .unreachable: "unreachable"
    case .timedOut: "timed-out"
    case .closed: "closed"
    case .tooManyFiles: "too-many-files"
    case .addressInUse: "address-in-use"
    case .addressNotAvailable: "address-not-available"
    case .permissionDenied: "permission-denied"
    case .tunnelRefused(let status): "tunnel-refused-\(status)"
    case .proxyAuthenticationRequired: "proxy-authentication-required"
    case .loopDetected: "loop-detected"
    case .destinationProhibited: "destination-prohibited"
    case .lengthRequired: "length-required"
    case .protocolViolation: "protocol-violation"
    case .headTooLarge: "head-too-large"
    case .transferCoding: "transfer-coding"
    case .streamReset: "stream-reset"
    case .certificate(let problem): "certificate-\(problem.name)"
    case .alert(let name): "alert-\(name)"
    case .cancelled: "cancelled"
    case .other(let code): "errno-\(code)"
    }
  }
}

extension CertificateProblem {
  fileprivate var name: String {
    switch self {
    case .expired: "expired"
    case .notYetValid: "not-yet-valid"
    case .selfSigned: "self-signed"
    case .unknownAuthority: "unknown-authority"
    case .hostMismatch: "host-mismatch"
    case .revoked: "revoked"
    case .weakKey: "weak"
    case .revocationUnknown, .other: "invalid"
    }
  }
}
