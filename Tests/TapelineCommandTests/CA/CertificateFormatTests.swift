import TapelineTLS
import Testing

@testable import tapeline

@Suite("Certificate format")
struct CertificateFormatTests {
  private let certificate: AuthorityCertificate

  init() throws {
    certificate = try CertificateAuthority.make(commonName: "test", validity: 0...1).certificate
  }

  @Test("Each format has its octets")
  func octets() throws {
    #expect(try CertificateFormat.pem.octets(of: certificate, password: "") == Array(certificate.pem.utf8))
    #expect(try CertificateFormat.der.octets(of: certificate, password: "") == certificate.der)
    #expect(try CertificateFormat.spki.octets(of: certificate, password: "") == Array("\(certificate.keyPin)\n".utf8))
    #expect(try CertificateFormat.p12.octets(of: certificate, password: "").starts(with: [0x30, 0x82]))
  }

  @Test("Only text may go to a terminal")
  func text() {
    #expect(CertificateFormat.allCases.filter(\.isText) == [.pem, .spki])
  }
}
