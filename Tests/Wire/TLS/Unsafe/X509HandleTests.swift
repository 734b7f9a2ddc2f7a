import Testing

@testable import TapelineTLS

@Suite("X509 handle")
struct X509HandleTests {
  private let certificate: X509Handle

  init() throws {
    certificate = try CertificateAuthority.make(commonName: "tést", validity: 100...4_102_444_800).certificate.handle
  }

  @Test("It reads one whole certificate and nothing else")
  func der() {
    let der = certificate.der
    #expect(X509Handle(der: der.span)?.der == der)
    let short = Array(der.dropLast())
    #expect(X509Handle(der: short.span) == nil)
    let long = der + [0]
    #expect(X509Handle(der: long.span) == nil)
    let empty: [UInt8] = []
    #expect(X509Handle(der: empty.span) == nil)
  }

  @Test("PEM may have other text before it")
  func pem() {
    let text = Array(("# comment\n" + PEM.text(label: "CERTIFICATE", der: certificate.der)).utf8)
    #expect(X509Handle(pem: text.span)?.der == certificate.der)
    let other = Array(PEM.text(label: "CERTIFICATE REQUEST", der: certificate.der).utf8)
    #expect(X509Handle(pem: other.span) == nil)
    let empty: [UInt8] = []
    #expect(X509Handle(pem: empty.span) == nil)
  }

  @Test("What it says of itself")
  func members() {
    #expect(certificate.commonName == "tést")
    #expect(certificate.notBefore == 100)
    #expect(certificate.notAfter == 4_102_444_800)
    #expect(certificate.isAuthority)
    #expect(certificate.subjectKeyIdentifier == KeyIdentifier.short(of: certificate.publicKeyInfo))
  }
}
