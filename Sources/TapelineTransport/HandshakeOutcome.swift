package import TapelineTLS

/// How a connection's TLS handshake ended. A reference in the guise of a value, since every exchange on the connection has it.
package indirect enum HandshakeOutcome: Sendable {
  case agreed(TLSParameters)
  case failed(TLSError)

  /// What was negotiated.
  var parameters: TLSParameters? {
    switch self {
    case .agreed(let parameters): parameters
    case .failed: nil
    }
  }

  /// Why it failed.
  var failure: TLSError? {
    switch self {
    case .agreed: nil
    case .failed(let error): error
    }
  }
}
