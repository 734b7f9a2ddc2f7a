import Testing

@testable import TapelineTLS

@Suite("Key identifier")
struct KeyIdentifierTests {
  @Test("Keys on P-256 are told from others")
  func p256() throws {
    let key = try PrivateKeyHandle.makeP256().publicKeyInfo
    #expect(KeyIdentifier.isP256(key))
    #expect(!KeyIdentifier.isP256(Array(key.dropLast())))
    #expect(!KeyIdentifier.isP256([0x31] + key.dropFirst()))
  }

  @Test("The short name has 160 bits, the pin is Base64 of 256")
  func lengths() throws {
    let key = try PrivateKeyHandle.makeP256().publicKeyInfo
    #expect(KeyIdentifier.short(of: key).count == 20)
    #expect(KeyIdentifier.pin(of: key).count == 44)
    #expect(KeyIdentifier.pin(of: []) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }
}
