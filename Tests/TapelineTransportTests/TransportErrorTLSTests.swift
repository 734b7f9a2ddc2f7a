import TapelineLoop
import TapelineTLS
import Testing

@testable import TapelineTransport

@Suite struct TransportErrorTLSTests {
  @Test(arguments: [
    (CertificateProblem.expired, TransportError.CertificateProblem.expired), (.notYetValid, .notYetValid),
    (.selfSigned, .selfSigned), (.unknownAuthority, .unknownAuthority), (.hostMismatch, .hostMismatch), (.revoked, .revoked),
    (.weakKey, .weak), (.other("odd"), .invalid),
  ])
  func everyCertificateProblemHasItsOwnKind(problem: CertificateProblem, expected: TransportError.CertificateProblem) {
    #expect(TransportError.Kind(.certificate(problem)) == .certificate(expected))
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
