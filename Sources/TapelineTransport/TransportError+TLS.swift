package import TapelineTLS

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
