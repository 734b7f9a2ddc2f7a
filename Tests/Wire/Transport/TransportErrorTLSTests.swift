import TapelineLoop
import TapelineTLS
import Testing

@testable import TapelineTransport

@Suite struct TransportErrorTLSTests {
  @Test(arguments: [
    CertificateProblem.expired, .notYetValid, .selfSigned, .unknownAuthority, .hostMismatch, .revoked, .weakKey, .other("odd"),
  ])
  func everyCertificateProblemHasItsOwnKind(problem: CertificateProblem) {
    #expect(TransportError.Kind(.certificate(problem)) == .certificate(problem))
  }

  @Test func anAlertKeepsItsName() {
    #expect(TransportError.Kind(.peerAlert(.unknownCA)) == .alert("unknown_ca"))
  }

  @Test(arguments: [
    (TLSError.Kind.truncated, TransportError.Kind.closed), (.notTLS, .protocolViolation), (.protocolVersion, .protocolViolation),
    (.noSharedCipher, .protocolViolation), (.noApplicationProtocol, .protocolViolation), (.configuration, .protocolViolation),
    (.protocolViolation, .protocolViolation),
  ])
  func theRestIsAboutTheProtocolOrTheConnection(kind: TLSError.Kind, expected: TransportError.Kind) {
    #expect(TransportError.Kind(kind) == expected)
  }
}
