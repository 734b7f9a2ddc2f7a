internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTransport

extension ExchangeRecord.Failure {
  /// The transport's error, in the record's words.
  init(_ error: TransportError) {
    self.init(error, option: error.limit?.option)
  }

  /// The client's bytes were not a request.
  init(_ error: HTTPParseError) {
    let option = error.bound?.option ?? error.toleration.map { Tolerance.option($0) }
    self.init(
      origin: error.bound == nil ? .client : .local, phase: .request, kind: .malformed(error.kind),
      message: error.message + (option.map { " (\($0))" } ?? ""), option: option)
  }

  /// The client broke a rule or a limit of HTTP/2.
  init(_ violation: HTTP2Violation) {
    let message =
      switch violation {
      case .malformed: "The request was refused: it is malformed by \(violation.name) (RFC 9113 8.1.1)."
      case .tooLarge: "The request was refused: \(violation.name) (RFC 9113 10.5.1)."
      case .flood: "The client's connection was ended: \(violation.name) (RFC 9113 10.5)."
      case .connectionError: "The client's connection was ended: it broke a rule of HTTP/2, \(violation.name) (RFC 9113 5.4.1)."
      case .streamError: "The request was refused: the stream broke a rule of HTTP/2, \(violation.name) (RFC 9113 5.4.2)."
      }
    let option = violation.bound?.option ?? violation.toleration.map { Tolerance.option($0) }
    self.init(
      origin: violation.bound == nil ? .client : .local, phase: .request, kind: .http2(violation),
      message: message + (option.map { " (\($0))" } ?? ""), option: option)
  }

  static func clientReset(_ code: HTTP2ErrorCode, in phase: ExchangeRecord.Phase) -> ExchangeRecord.Failure {
    ExchangeRecord.Failure(
      origin: .client, phase: phase, kind: .transport(.streamReset(code)),
      message: "the client reset its stream before the exchange was complete (\(code.name))")
  }

  static func clientGone(in phase: ExchangeRecord.Phase) -> ExchangeRecord.Failure {
    ExchangeRecord.Failure(
      origin: .client, phase: phase, kind: .transport(.closed),
      message: "the client closed its connection before the exchange was complete")
  }

  /// A stream on which nothing has passed, either way, for as long as is allowed.
  static let tooQuiet = ExchangeRecord.Failure(
    origin: .local, phase: .receive, kind: .transport(.timedOut), message: "nothing passed for too long (--idle-timeout)",
    option: "--idle-timeout")

  static func clientTimedOut(in phase: ExchangeRecord.Phase, option: String) -> ExchangeRecord.Failure {
    ExchangeRecord.Failure(
      origin: .local, phase: phase, kind: .transport(.timedOut), message: "the client did nothing for too long (\(option))",
      option: option)
  }
}

extension TransportError.Limit {
  /// The option by which a user sets the limit.
  fileprivate var option: String {
    switch self {
    case .connecting: "--connect-timeout"
    case .response: "--response-timeout"
    case .silence: "--idle-timeout"
    case .head(let bound): bound.option
    case .rule(let name): Tolerance.option(name)
    }
  }
}

extension HeadBound {
  /// The option by which a user moves the bound.
  fileprivate var option: String {
    switch self {
    case .size: "--max-header-size"
    case .fields: "--max-header-fields"
    }
  }
}

extension Tolerance {
  /// The option by which a user lifts a rule.
  fileprivate static func option(_ name: String) -> String { "--tolerate \(name)" }
}

extension LocalReply {
  /// The answer to a request whose transport failed before the origin's head came.
  ///
  /// - Parameters:
  ///   - tls: the TLS error, if TLS failed.
  ///   - host: the host that was asked.
  ///   - status: `nil`: the failure's.
  init(_ error: TransportError, tls: TLSError? = nil, host: String = "", status: Int? = nil) {
    let text =
      if case .certificate(let problem) = error.kind, let tls {
        CertificatePage.text(problem, tls, host: host)
      } else if case .proxyAuthenticationRequired = error.kind {
        "tapeline: \(error.message)\n\n"
          + "A name and a password for it are given in --upstream-proxy, as http://NAME:PASSWORD@HOST:PORT."
      } else if error.phase == .tls {
        "tapeline: TLS with \(host) failed: \(error.message)\n\n"
          + "If \(host) wants something that only its client has, start tapeline with --passthrough-host \(host)."
      } else {
        "tapeline: \(error.message)"
      }
    self.init(status: status ?? error.status, text: text, proxyError: error.proxyErrorType, receivedStatus: error.receivedStatus)
  }
}

extension Route {
  /// The name by which the client knows the origin.
  var serverName: String {
    switch security {
    case .none: host
    case .tls(let serverName): serverName
    }
  }
}

extension TransportError {
  /// The status that tells a client of this failure (RFC 9110 15.6).
  var status: Int {
    switch kind {
    case .timedOut, .tunnelRefused(504): 504
    case .tooManyFiles: 503
    case .loopDetected: 508
    case .destinationProhibited: 403
    case .lengthRequired: 411
    case .nameNotFound, .resolverFailure, .refused, .reset, .unreachable, .closed, .addressInUse, .addressNotAvailable,
      .permissionDenied, .protocolViolation, .headTooLarge, .transferCoding, .streamReset, .certificate, .alert, .tunnelRefused,
      .proxyAuthenticationRequired, .cancelled, .other:
      502
    }
  }

  /// The status with which another proxy refused.
  var receivedStatus: Int? {
    if case .tunnelRefused(let status) = kind { status } else { nil }
  }

  var proxyErrorType: ProxyErrorType {
    switch kind {
    case .nameNotFound, .resolverFailure: .dnsError
    case .refused: .connectionRefused
    // In an answer to the client, receiving has not come further than the head.
    case .closed where phase == .receive: .responseIncomplete
    case .reset, .closed, .streamReset: .connectionTerminated
    case .unreachable: .destinationUnroutable
    case .timedOut:
      switch phase {
      case .setUp, .dns: .dnsTimeout
      case .connect, .tls: .connectionTimeout
      case .send: .connectionWriteTimeout
      case .wait: .responseTimeout
      case .receive: .connectionReadTimeout
      }
    case .tooManyFiles: .connectionLimitReached
    case .tunnelRefused: .destinationUnavailable
    case .proxyAuthenticationRequired: .configurationError
    case .loopDetected: .loopDetected
    case .destinationProhibited: .destinationProhibited
    case .protocolViolation: phase == .tls ? .tlsProtocolError : .protocolError
    case .headTooLarge: .responseHeaderSectionSize
    case .transferCoding: .responseTransferCoding
    case .lengthRequired: .requestError
    case .certificate: .tlsCertificateError
    case .alert: .tlsAlertReceived
    case .addressInUse, .addressNotAvailable, .permissionDenied, .cancelled, .other: .internalError
    }
  }
}

/// Why we answer instead of the origin, in the words of the `Proxy-Status` field (RFC 9209 2.3).
enum ProxyErrorType: String {
  case dnsTimeout = "dns_timeout"
  case dnsError = "dns_error"
  case destinationUnavailable = "destination_unavailable"
  case destinationProhibited = "destination_ip_prohibited"
  case destinationUnroutable = "destination_ip_unroutable"
  case connectionRefused = "connection_refused"
  case connectionTerminated = "connection_terminated"
  case connectionTimeout = "connection_timeout"
  case connectionReadTimeout = "connection_read_timeout"
  case connectionWriteTimeout = "connection_write_timeout"
  case connectionLimitReached = "connection_limit_reached"
  case tlsProtocolError = "tls_protocol_error"
  case tlsCertificateError = "tls_certificate_error"
  case tlsAlertReceived = "tls_alert_received"
  /// The request is at fault.
  case requestError = "http_request_error"
  /// We were told to refuse the request.
  case requestDenied = "http_request_denied"
  case responseIncomplete = "http_response_incomplete"
  case responseHeaderSectionSize = "http_response_header_section_size"
  case responseTransferCoding = "http_response_transfer_coding"
  case responseTimeout = "http_response_timeout"
  case protocolError = "http_protocol_error"
  case internalError = "proxy_internal_error"
  case configurationError = "proxy_configuration_error"
  case loopDetected = "proxy_loop_detected"
}
