import TapelineLoop
import Testing

@testable import TapelineProxy
@testable import TapelineTLS

@Suite struct CertificatePageTests {
  private let failure = TLSError(
    .certificate(.expired), "certificate verify failed: certificate has expired",
    certificate: CertificateSummary(
      subject: "CN=old.example\u{1B}[2J", issuer: "CN=An authority", names: ["old.example", "*.old.example"], notBefore: 0,
      notAfter: 86_400, fingerprint: "ab12", serialNumber: "01"))

  @Test func itSaysWhichCertificateWhatIsWrongAndWhatToDo() {
    let text = CertificatePage.text(.expired, failure, host: "old.example")
    #expect(
      text == """
        tapeline: the certificate of old.example was refused: it has expired.

          Subject:      CN=old.example?[2J
          Issuer:       CN=An authority
          Names:        old.example, *.old.example
          Valid from:   Thu, 01 Jan 1970 00:00:00 GMT
          Valid until:  Fri, 02 Jan 1970 00:00:00 GMT
          SHA-256:      ab12

        OpenSSL says: certificate verify failed: certificate has expired

        If you trust the server, start tapeline with one of
          --passthrough-host old.example: to leave connections to this host alone
          --insecure-upstream: to accept every certificate, and to say so in the entries
        """)
  }

  @Test(arguments: problems)
  func itOffersToTrustAnAuthorityWhereThatHelps(problem: CertificateProblem) {
    let helps = [.selfSigned, .unknownAuthority, .other("odd")].contains(problem)
    #expect(CertificatePage.text(problem, failure, host: "h").contains("--upstream-ca") == helps)
  }

  private static let problems: [CertificateProblem] = [
    .expired, .notYetValid, .selfSigned, .unknownAuthority, .hostMismatch, .revoked, .weakKey, .other("odd"),
  ]

  @Test(arguments: problems)
  func everyProblemHasAReasonOfItsOwn(problem: CertificateProblem) {
    let first = CertificatePage.text(problem, failure, host: "h").prefix { $0 != "\n" }
    let others = Self.problems.filter { $0 != problem }
    #expect(!others.contains { CertificatePage.text($0, failure, host: "h").hasPrefix(first) })
  }
}
