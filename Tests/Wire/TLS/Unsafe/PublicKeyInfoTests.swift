import Testing

@testable import TapelineTLS

struct PublicKeyInfoTests {
  @Test("Public keys in DER and PEM") func read() throws {
    let certificate = try ForgedCertificate(commonName: "x")
    let der = certificate.handle.publicKeyInfo
    #expect(PublicKeyInfo.read(der: der.span) == der)
    #expect(PublicKeyInfo.read(der: (der + [0]).span) == nil)
    #expect(PublicKeyInfo.read(der: Array(der.dropLast()).span) == nil)
    #expect(PublicKeyInfo.read(pem: Array(PEM.text(label: "PUBLIC KEY", der: der).utf8).span) == der)
    #expect(PublicKeyInfo.read(pem: certificate.pem.span) == nil)
    #expect(PublicKeyInfo.pin(of: der) == KeyIdentifier.pin(of: der))
  }
}
