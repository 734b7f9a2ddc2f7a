import TapelineDigest
import Testing

@Suite("Message digests")
struct MessageDigestTests {
  @Test(
    "RFC 1321 A.5 and the examples of FIPS 180-4: \"abc\"",
    arguments: [
      (MessageDigest.md5, "900150983cd24fb0d6963f7d28e17f72"),
      (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (.sha512Truncated256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
  func known(_ digest: MessageDigest, hexadecimal: String) {
    #expect(digest.hexadecimal(of: Array("abc".utf8).span) == hexadecimal)
  }

  @Test(
    "FIPS 180-4: SHA-256 of nothing, and of two blocks",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func examples(text: String, digest: String) {
    #expect(MessageDigest.sha256.hexadecimal(of: Array(text.utf8).span) == digest)
    #expect(MessageDigest.sha256.digest(of: Array(text.utf8).span).count == 32)
  }

  @Test(
    "SHA-256 of lengths around a block's end, and of the million letters of FIPS 180-4",
    arguments: [
      (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
      (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
      (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
      (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
      (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
      (1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func lengths(count: Int, digest: String) {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    #expect(MessageDigest.sha256.hexadecimal(of: message.span) == digest)
  }

  @Test("Random bytes are as many as were asked for, and others each time")
  func random() {
    #expect(randomBytes(16).count == 16)
    #expect(randomBytes(16) != randomBytes(16))
    #expect(randomBytes(0).isEmpty)
  }
}
