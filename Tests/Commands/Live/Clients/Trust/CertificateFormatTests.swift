import TapelineTLS
import Testing

@testable import TapelineLive

@Suite("Certificate format")
struct CertificateFormatTests {
  private let certificate: AuthorityCertificate

  init() throws {
    certificate = try CertificateAuthority.make(commonName: "test", validity: 0...1).certificate
  }

  @Test("Each format has its bytes")
  func bytes() throws {
    #expect(try CertificateFormat.pem.bytes(of: certificate, password: "") == Array(certificate.pem.utf8))
    #expect(try CertificateFormat.der.bytes(of: certificate, password: "") == certificate.der)
    #expect(try CertificateFormat.spki.bytes(of: certificate, password: "") == Array("\(certificate.keyPin)\n".utf8))
    #expect(try CertificateFormat.p12.bytes(of: certificate, password: "").starts(with: [0x30, 0x82]))
  }

  @Test("Only text may go to a terminal")
  func text() {
    #expect(CertificateFormat.allCases.filter(\.isText) == [.pem, .spki])
  }
}
