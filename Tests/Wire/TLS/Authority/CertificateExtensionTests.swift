import Testing

@testable import TapelineTLS

@Suite("Certificate extension")
struct CertificateExtensionTests {
  @Test("An authority of leaves: critical, CA, path length 0")
  func authority() {
    #expect(
      CertificateExtension.authorityOfLeaves.value.bytes
        == [
          0x30, 0x12, 0x06, 0x03, 0x55, 0x1D, 0x13, 0x01, 0x01, 0xFF, 0x04, 0x08, 0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x00,
        ])
  }

  @Test("What is not critical does not say so")
  func identifier() {
    #expect(
      CertificateExtension.authorityKeyIdentifier([0xAB]).value.bytes
        == [0x30, 0x0C, 0x06, 0x03, 0x55, 0x1D, 0x23, 0x04, 0x05, 0x30, 0x03, 0x80, 0x01, 0xAB])
  }

  @Test("Names and addresses are alternative names of two kinds")
  func alternativeName() throws {
    let name = CertificateExtension.alternativeName(try LeafName(host: "a.b"), isCritical: false)
    #expect(name.value.bytes.suffix(7) == [0x30, 0x05, 0x82, 0x03, 0x61, 0x2E, 0x62])
    let address = CertificateExtension.alternativeName(try LeafName(host: "10.0.0.1"), isCritical: false)
    #expect(address.value.bytes.suffix(8) == [0x30, 0x06, 0x87, 0x04, 10, 0, 0, 1])
  }
}
