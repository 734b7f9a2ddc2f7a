import Testing

@testable import TapelineTLS

@Suite("Message digests")
struct MessageDigestTests {
  /// RFC 1321 A.5, FIPS 180-4's examples.
  @Test(
    "Known digests of \"abc\"",
    arguments: [
      (MessageDigest.md5, "900150983cd24fb0d6963f7d28e17f72"),
      (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (.sha512Truncated256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
  func known(_ digest: MessageDigest, hexadecimal: String) {
    #expect(digest.hexadecimal(of: Array("abc".utf8)) == hexadecimal)
  }
}
