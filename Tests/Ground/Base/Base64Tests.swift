import TapelineBase
import Testing

@Suite("Base64 (RFC 4648 4)")
struct Base64Tests {
  private func isWellPadded(_ text: String) -> Bool {
    Base64.isValid(Array(text.utf8).span)
  }

  @Test(
    "The vectors of RFC 4648 10, both ways",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.encodedSize(of: text.utf8.count) == encoded.utf8.count)
    for padding in [Base64.Padding.required, .optional, .ignored] {
      #expect(Base64.decode(encoded, padding: padding) == Array(text.utf8))
    }
  }

  @Test("All bytes survive, at every place of a group")
  func bytes() {
    for shift in 0..<3 {
      let bytes = [UInt8](repeating: 7, count: shift) + (0...255).map { UInt8($0) }
      #expect(Base64.decode(Base64.encode(bytes), padding: .required) == bytes)
    }
  }

  @Test("Texts of every length, by vectors as one by one")
  func lengths() {
    let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 3) }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for length in 0...400 {
      var expected: [UInt8] = []
      for start in stride(from: 0, to: length, by: 3) {
        let group = (0..<3).reduce(0) { $0 << 8 | (start + $1 < length ? Int(bytes[start + $1]) : 0) }
        for letter in 0..<4 {
          expected.append(start + letter > length ? UInt8(ascii: "=") : alphabet[group >> (18 - 6 * letter) & 63])
        }
      }
      #expect(Base64.encode(Array(bytes.prefix(length))).utf8.elementsEqual(expected), "\(length) bytes")
    }
  }

  @Test("Every value of six bits has its letter")
  func alphabet() {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    #expect(Base64.decode(alphabet).map(Base64.encode) == alphabet)
    let letters = Set(alphabet.utf8 + Array("=\r\n".utf8))
    for byte in UInt8.min...UInt8.max where !letters.contains(byte) {
      let text = [UInt8(ascii: "A"), byte, UInt8(ascii: "A"), UInt8(ascii: "A")]
      #expect(Base64.decode(text.span, padding: .ignored) == nil, "byte \(byte)")
    }
  }

  @Test("With padding: line ends do not count", arguments: ["", "aGVsbG8=", "aGVs\r\nbG8=", "AA==", "AAAA"])
  func wellPadded(text: String) {
    #expect(isWellPadded(text))
    #expect(Base64.decode(text, padding: .required) != nil)
  }

  @Test("Not as padding is wanted", arguments: ["A", "AA=", "AAA", "AA=A", "A!==", "AA===", "é", "=", "A==="])
  func badlyPadded(text: String) {
    #expect(!isWellPadded(text))
    #expect(Base64.decode(text, padding: .required) == nil)
  }

  @Test("Padding may be missing where it is optional")
  func optionalPadding() {
    #expect(Base64.decode("Zm9v\r\nYg") == Array("foob".utf8))
    #expect(Base64.decode("Zm9vYg=") == Array("foob".utf8))
  }

  @Test("What optional padding does not forgive", arguments: ["Z", "Zm9v!", "Zg==Zg==", "Zg=a", "Zm9v==="])
  func refusal(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test(
    "Padding is ignored: texts that were cut off give what they have",
    arguments: [("QQ", "A"), ("QUI=", "AB"), ("QUJD\r\nRA", "ABCD"), ("QUJDR", "ABC"), ("QQ=====", "A"), ("=", "")])
  func ignoredPadding(text: String, decoded: String) {
    #expect(Base64.decode(text, padding: .ignored) == Array(decoded.utf8))
  }
}
