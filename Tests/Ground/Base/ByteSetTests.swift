import TapelineBase
import Testing

@Suite("Classes of bytes")
struct ByteSetTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  private static let digits = "0123456789"

  private static let rules: [(set: ByteSet, others: String)] = [
    (.alphanumeric, ""), (.token, "!#$%&'*+-.^_`|~"), (.token68, "-._~+/"), (.attributeCharacter, "!#$&+-.^_`|~"),
    (.unreserved, "-._~"), (.uri, "-._~:/?#[]@!$&'()*+,;="), (.registeredName, "-._~!$&'()*+,;="),
    (.userinfo, "-._~!$&'()*+,;=:"), (.scheme, "+-."), (.formURLEncoded, "-._*"),
  ]

  @Test("A set holds the letters, the digits and the other bytes of its rule, and nothing else", arguments: rules)
  func alphanumeric(set: ByteSet, others: String) {
    check(set, Self.letters + Self.digits + others)
  }

  private static let otherRules: [(set: ByteSet, bytes: String)] = [
    (.hexadecimal, "0123456789abcdefABCDEF"), (.addressLiteral, "0123456789abcdefABCDEF:."),
    (ByteSet("aé€\u{0}\u{7F}"), "a\u{0}\u{7F}"), (ByteSet("ab").union("bc?"), "abc?"), (ByteSet(""), ""),
  ]

  @Test("A set holds exactly the bytes of its rule", arguments: otherRules)
  func members(set: ByteSet, bytes: String) {
    check(set, bytes)
  }

  private func check(_ set: ByteSet, _ bytes: String) {
    let expected = Set(bytes.utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(set.contains(byte) == expected.contains(byte), "byte \(byte)")
    }
  }

  @Test("Equal sets are equal however they were made")
  func equality() {
    #expect(ByteSet("0123456789abcdefABCDEF") == .hexadecimal)
    #expect(ByteSet.alphanumeric.union("-._~") == .unreserved)
  }

  @Test(
    "A token has a byte or more, all of them tchar (RFC 9110 5.6.2)",
    arguments: [("GET", true), ("", false), ("a b", false), ("é", false)])
  func tokens(text: String, isToken: Bool) {
    #expect(text.isToken == isToken)
  }

  private static let all = UInt8.min...UInt8.max

  @Test("Blanks are space and tab (RFC 9110 5.6.3)")
  func blanks() {
    #expect(Self.all.filter(Byte.isBlank) == [0x09, 0x20])
  }

  @Test("RFC 5234 B.1: ten digits, and twenty-six letters in two cases")
  func ranges() {
    #expect(Self.all.filter(Byte.isDigit) == Array(Self.digits.utf8))
    #expect(Self.all.filter(Byte.isLetter) == Array(Self.letters.utf8))
    #expect(Self.all.filter(Byte.isUppercase) == Array(Self.letters.utf8.prefix(26)))
    #expect(Self.all.filter(Byte.isLowercase) == Array(Self.letters.utf8.suffix(26)))
  }

  @Test("Only capitals change in lower case")
  func lowercase() {
    for byte in Self.all {
      let expected = Byte.isUppercase(byte) ? byte + 32 : byte
      #expect(Byte.lowercased(byte) == expected)
    }
  }
}
