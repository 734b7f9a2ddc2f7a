internal import TapelineTLS
internal import TapelineTransport

/// The kind of failure that kept a task from completing, in terms that suit retry decisions.
public enum TransportFailure: String, Sendable, Hashable, CaseIterable {
  /// No such host.
  case cannotFindHost
  /// The resolver could not answer.
  case dnsLookupFailed
  /// The host refused, or cannot be reached.
  case cannotConnectToHost
  /// The connection broke while it was in use.
  case connectionLost
  /// The peer did not answer, or did not continue, in time.
  case timedOut
  /// The two sides could not agree on TLS.
  case secureConnectionFailed
  /// The server's certificate is not valid at this time.
  case certificateDateInvalid
  /// The server's certificate is not trusted.
  case certificateUntrusted
  /// The server's answer is not HTTP.
  case badServerResponse
  /// This machine lacks descriptors or rights.
  case localResource
  /// The task was cancelled.
  case cancelled
  /// None of these.
  case other
}

extension TapelineError {
  /// The kind of the transport's failure; `nil` when the error is not the transport's.
  public var transportFailure: TransportFailure? {
    guard let error = transportError else { return nil }
    return switch error.kind {
    case .nameNotFound: .cannotFindHost
    case .resolverFailure: .dnsLookupFailed
    case .refused, .unreachable, .addressNotAvailable: .cannotConnectToHost
    case .reset, .closed:
      error.phase == .connect ? .cannotConnectToHost : error.phase == .tls ? .secureConnectionFailed : .connectionLost
    case .timedOut: .timedOut
    case .tooManyFiles, .addressInUse, .permissionDenied: .localResource
    case .protocolViolation, .headTooLarge, .transferCoding: .badServerResponse
    case .certificate(.expired), .certificate(.notYetValid): .certificateDateInvalid
    case .certificate: .certificateUntrusted
    case .alert: .secureConnectionFailed
    case .cancelled: .cancelled
    case .loopDetected, .destinationProhibited, .lengthRequired, .tunnelRefused, .proxyAuthenticationRequired, .other: .other
    }
  }
}
