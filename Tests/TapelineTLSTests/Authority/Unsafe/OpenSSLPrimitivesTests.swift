import Testing

@testable import TapelineTLS

@Suite("OpenSSL primitives")
struct OpenSSLPrimitivesTests {
  @Test("SHA-256 of FIPS 180-2's example")
  func digest() {
    #expect(
      hexadecimal(sha256(Array("abc".utf8).span)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test(
    "Base64 of RFC 4648's examples", arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")])
  func encoding(text: String, encoded: String) {
    #expect(base64(Array(text.utf8)) == encoded)
  }

  @Test("Random bytes are as many as were asked for, and others each time")
  func random() {
    #expect(randomBytes(16).count == 16)
    #expect(randomBytes(16) != randomBytes(16))
  }
}
