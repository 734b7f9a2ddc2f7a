internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop

extension ExchangeRecord.Failure {
  /// What the transport said, in the record's words.
  init(_ error: TransportError) {
    self.init(
      origin: error.origin.rawValue, phase: error.phase.rawValue, kind: error.kind.recordedName, message: error.message)
  }

  /// The client's octets were no request.
  init(_ error: HTTPParseError) {
    self.init(origin: "client", phase: "request", kind: error.kind.rawValue, message: error.message)
  }

  static func clientGone(in phase: String) -> ExchangeRecord.Failure {
    ExchangeRecord.Failure(
      origin: "client", phase: phase, kind: "closed", message: "the client closed its connection before the exchange was complete"
    )
  }

  static func clientTimedOut(in phase: String) -> ExchangeRecord.Failure {
    ExchangeRecord.Failure(
      origin: "client", phase: phase, kind: "timed-out", message: "the client did nothing for too long")
  }

  static let shutdown = ExchangeRecord.Failure(
    origin: "local", phase: "receive", kind: "cancelled", message: "tapeline was stopped before the exchange was complete")
}

extension LocalReply {
  /// The answer to a request whose transport failed before the origin's head came.
  init(_ error: TransportError) {
    self.init(status: error.status, text: "tapeline: \(error.message)", proxyError: error.proxyStatusType)
  }
}

extension TransportError {
  /// The status that tells a client of this failure (RFC 9110 15.6).
  var status: Int {
    switch kind {
    case .timedOut: 504
    case .tooManyFiles: 503
    case .loopDetected: 508
    case .nameNotFound, .resolverFailure, .refused, .reset, .unreachable, .closed, .addressInUse, .addressNotAvailable,
      .permissionDenied, .protocolViolation, .cancelled, .other:
      502
    }
  }

  /// The error type of the `Proxy-Status` field (RFC 9209 2.3).
  var proxyStatusType: String {
    switch kind {
    case .nameNotFound, .resolverFailure: "dns_error"
    case .refused: "connection_refused"
    case .reset, .closed: "connection_terminated"
    case .unreachable: "destination_ip_unroutable"
    case .timedOut:
      switch phase {
      case .setUp, .dns: "dns_timeout"
      case .connect, .tls: "connection_timeout"
      case .send: "connection_write_timeout"
      case .wait: "http_response_timeout"
      case .receive: "connection_read_timeout"
      }
    case .tooManyFiles: "connection_limit_reached"
    case .loopDetected: "proxy_loop_detected"
    case .protocolViolation: "http_protocol_error"
    case .addressInUse, .addressNotAvailable, .permissionDenied, .cancelled, .other: "proxy_internal_error"
    }
  }
}

extension TransportError.Kind {
  /// A short stable word for scripts.
  var recordedName: String {
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
    case .loopDetected: "loop-detected"
    case .protocolViolation: "protocol-violation"
    case .cancelled: "cancelled"
    case .other(let code): "errno-\(code)"
    }
  }
}
