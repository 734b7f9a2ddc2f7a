import TapelineTestSupport
import Testing

@testable import TapelineCore
@testable import TapelineTLS

struct CertificateTests {
  private let chain: IssuedChain

  init() throws {
    chain = try IssuedChain.shared.get()
  }

  private func kind(_ material: @autoclosure () throws -> some Any) -> TLSMaterialError.Kind? {
    do {
      _ = try material()
      return nil
    } catch {
      return (error as? TLSMaterialError)?.kind
    }
  }

  @Test("A certificate has its names, dates and fingerprint") func whatItSays() {
    let certificate = chain.leaf.certificate
    #expect(certificate.subject == "CN=localhost")
    #expect(certificate.issuer == "CN=Test intermediate")
    #expect(certificate.names == ["localhost", "127.0.0.1"])
    #expect(certificate.notAfter - certificate.notBefore == 2 * 86_400)
    #expect(certificate.fingerprint.utf8.count == 64)
    #expect(!certificate.serialNumber.isEmpty)
    #expect(certificate.description == "CN=localhost (SHA-256 \(certificate.fingerprint))")
  }

  @Test("DER and PEM are read, one or several") func reading() throws {
    let der = chain.leaf.certificate.der
    #expect(try Certificate(der: der) == chain.leaf.certificate)
    #expect(try Certificate(der: der[...]).hashValue == chain.leaf.certificate.hashValue)
    let directory = try TemporaryDirectory()
    #expect(try Certificate.certificates(contentsOfFile: directory.write(der, to: "leaf.der")) == [chain.leaf.certificate])
    let two = try TLSMaterialError.read(chain.leaf.certificateFile) + TLSMaterialError.read(chain.root.certificateFile)
    let both = [chain.leaf.certificate, chain.root.certificate]
    #expect(try Certificate.certificates(pem: String(decoding: two, as: UTF8.self)) == both)
    #expect(try Certificate.certificates(contentsOfFile: directory.write(two, to: "two.pem")) == both)
  }

  @Test("Input that is not a certificate is recognised") func errors() throws {
    let directory = try TemporaryDirectory()
    let der = chain.leaf.certificate.der
    let key = chain.leaf.keyFile
    #expect(kind(try Certificate(der: der + [0])) == .malformed)
    #expect(kind(try Certificate(der: [])) == .malformed)
    #expect(kind(try Certificate.certificates(pem: "hello")) == .noCertificate)
    #expect(kind(try Certificate.certificates(contentsOfFile: key)) == .noCertificate)
    let absent = directory.path("absent")
    #expect(kind(try Certificate.certificates(contentsOfFile: absent)) == .unreadableFile)
    let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    #expect(kind(try Certificate.certificates(pem: damaged)) == .malformed)
  }

  @Test("Keys are read from DER and PEM, and their pin equals that of other programs") func keys() throws {
    let key = chain.leaf.publicKey
    #expect(try PublicKey(der: key.derRepresentation) == key)
    #expect(kind(try PublicKey(der: [1, 2, 3])) == .malformed)
    #expect(kind(try PublicKey(pem: "hello")) == .noPublicKey)
    let directory = try TemporaryDirectory()
    try openssl(["x509", "-in", chain.leaf.certificateFile, "-noout", "-pubkey", "-out", directory.path("key.pem")])
    let pem = String(decoding: try TLSMaterialError.read(directory.path("key.pem")), as: UTF8.self)
    #expect(try PublicKey(pem: pem) == key)
    #expect(key.pin.utf8.count == 44)
    #expect(chain.leaf.publicKey != chain.middle.publicKey)
  }

  @Test("Revocation lists are read from DER, PEM and files") func lists() throws {
    let list = try chain.root.revocationList(of: [])
    let der = list.handle.der
    #expect(try RevocationList(der: der).handle.der == der)
    let directory = try TemporaryDirectory()
    #expect(try RevocationList(contentsOfFile: directory.write(der, to: "list.der")).handle.der == der)
    let certificate = chain.leaf.certificateFile
    #expect(kind(try RevocationList(contentsOfFile: certificate)) == .noRevocationList)
    #expect(kind(try RevocationList(pem: "")) == .noRevocationList)
    #expect(kind(try RevocationList(der: [0x30])) == .malformed)
  }
}
