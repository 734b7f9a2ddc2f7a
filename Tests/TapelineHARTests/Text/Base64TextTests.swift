import Testing

@testable import TapelineHAR

@Suite("Base64 as text")
struct Base64TextTests {
  @Test("Base64 that is", arguments: ["", "aGVsbG8=", "aGVs\r\nbG8=", "AA==", "AAAA"])
  func wholeBase64(text: String) {
    #expect(Base64Text.isWhole(text))
  }

  @Test("Base64 that is not", arguments: ["A", "AA=", "AAA", "AA=A", "A!==", "AA===", "é"])
  func others(text: String) {
    #expect(!Base64Text.isWhole(text))
  }

  @Test("What a little help makes whole, and what it does not")
  func mended() {
    #expect(Base64Text.mended("AAA") == "AAA=" && Base64Text.mended("-_ -\n_") == "+/+/" && Base64Text.mended("AA===") == "AA==")
    #expect(Base64Text.mended("A") == nil && Base64Text.mended("!") == nil)
  }
}
