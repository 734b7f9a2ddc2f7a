internal import TapelineCore
internal import TapelineTransport

extension SOCKSReply {
  /// The code that says what has happened to the connection that the client asked for (RFC 1928 6).
  init(_ error: TransportError) {
    self =
      switch error.kind {
      case .refused: .connectionRefused
      case .nameNotFound, .resolverFailure, .unreachable: .hostUnreachable
      case .timedOut: .expired
      case .loopDetected, .destinationProhibited: .notAllowed
      case .reset, .closed, .tooManyFiles, .addressInUse, .addressNotAvailable, .permissionDenied, .protocolViolation,
        .headTooLarge,
        .transferCoding, .lengthRequired, .streamReset, .certificate, .alert, .tunnelRefused, .proxyAuthenticationRequired,
        .cancelled, .other:
        .generalFailure
      }
  }

  /// The reply on the wire. The address that it must contain is for BIND and UDP; ours says nothing.
  func bytes(to version: SOCKSVersion) -> [UInt8] {
    switch version {
    case .v5: [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0]
    case .v4, .v4a: [0, self == .succeeded ? 90 : 91, 0, 0, 0, 0, 0, 0]
    }
  }
}

extension ExchangeRecord.Failure {
  /// The client's SOCKS was refused.
  init(_ fault: SOCKSFault) {
    let (kind, message): (Kind, String) =
      switch fault {
      case .malformed(let problem): (.malformedSOCKS, "the client's SOCKS is malformed: \(problem)")
      case .unsupported(let command): (.unsupportedCommand, "the client asked SOCKS for \(command); only CONNECT is supported")
      case .noMethod: (.malformedSOCKS, "the client offers SOCKS no method of authentication that is supported (RFC 1928 3)")
      case .noPassword: (.proxyAuthenticationRequired, "the client's SOCKS gave no name and password")
      case .wrongPassword: (.proxyAuthenticationRequired, "the proxy's name and password were wrong")
      case .tooManyAttempts:
        (.tooManyAttempts, "too many wrong passwords came from the client's address: this one was not checked")
      }
    self.init(origin: .client, phase: .request, kind: kind, message: message)
  }
}
