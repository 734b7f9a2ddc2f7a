import Testing

@testable import TapelineInspect

@Suite("Base64")
struct Base64Tests {
  /// RFC 4648 section 10.
  @Test(
    "The vectors of the RFC, both ways",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
  }

  @Test("All bytes survive")
  func bytes() {
    let bytes = (0...255).map { UInt8($0) }
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
  }

  @Test("Line breaks are skipped, missing padding is forgiven")
  func leniency() {
    #expect(Base64.decode("Zm9v\r\nYg") == Array("foob".utf8))
  }

  @Test("Anything else is refused", arguments: ["Z", "Zm9v!", "Zg==Zg==", "Zg=a", "Zm9v==="])
  func refusal(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
