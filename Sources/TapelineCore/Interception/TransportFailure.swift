internal import TapelineTLS
internal import TapelineTransport

/// What kind of failure kept a task from completing, in terms a retry can be decided on.
public enum TransportFailure: String, Sendable, Hashable, CaseIterable {
  /// No such host.
  case cannotFindHost
  /// The resolver could not say.
  case dnsLookupFailed
  /// The host refused, or cannot be reached.
  case cannotConnectToHost
  /// The connection broke while it was used.
  case connectionLost
  /// Nobody answered, or went on, in time.
  case timedOut
  /// TLS could not be agreed on.
  case secureConnectionFailed
  /// The server's certificate is not valid at this time.
  case certificateDateInvalid
  /// The server's certificate is not to be trusted.
  case certificateUntrusted
  /// What came is not HTTP.
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
