package import TapelineTLS

/// What a connection's TLS handshake came to. A reference in the guise of a value: every exchange on the connection has it.
package indirect enum HandshakeOutcome: Sendable {
  case agreed(TLSParameters)
  case failed(TLSError)
}
