import COpenSSL
import Testing

@testable import TapelineTLS

@Suite("Certificate template")
struct CertificateTemplateTests {
  @Test("What it says is what OpenSSL reads, and the signature is the key's")
  func signed() throws {
    let key = try PrivateKeyHandle.makeP256()
    let subject = DistinguishedName(commonName: "subject")
    let template = CertificateTemplate(
      serialNumber: [0x80, 1], issuer: DistinguishedName(commonName: "issuer"), subject: subject,
      validity: 2_524_607_999...2_524_608_000, publicKeyInfo: key.publicKeyInfo, extensions: [.leaf])
    let certificate = try template.signed(by: key)
    #expect(certificate.subject == subject)
    #expect(certificate.serialNumber == [0x80, 1])
    #expect(certificate.notBefore == 2_524_607_999)
    #expect(certificate.notAfter == 2_524_608_000)
    #expect(certificate.publicKeyInfo == key.publicKeyInfo)
    #expect(unsafe X509_verify(certificate.pointer, key.pointer) == 1)
    let other = try PrivateKeyHandle.makeP256()
    #expect(unsafe X509_verify(certificate.pointer, other.pointer) == 0)
    #expect(unsafe X509_get_version(certificate.pointer) == 2)
  }
}
