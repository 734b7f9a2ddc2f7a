package import TapelineTLS

extension TransportError {
  /// What a TLS failure means to those who know nothing of TLS. Whose failure it is, the owner of the connection knows.
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
