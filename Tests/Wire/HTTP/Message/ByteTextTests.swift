import Testing

@testable import TapelineHTTP

@Suite struct ByteTextTests {
  @Test func validUTF8IsDecodedAsSuch() {
    let bytes = Array("Zürich 🐟".utf8)
    #expect(String(bytes: bytes.span) == "Zürich 🐟")
  }

  @Test func anythingElseIsLatin1WithoutLoss() {
    let bytes = Array(UInt8.min...UInt8.max)
    let text = String(bytes: bytes.span)
    #expect(text.unicodeScalars.map { UInt8(exactly: $0.value) } == bytes.map { $0 })
  }

  @Test func caseIsIgnoredForLettersOnly() {
    func equal(_ left: String, _ right: String) -> Bool {
      Array(left.utf8).span.equalsIgnoringCase(Array(right.utf8).span)
    }
    #expect(equal("Keep-Alive", "kEEP-aLIVE"))
    #expect(!equal("a@b", "a`b"))
    #expect(!equal("a[b", "a{b"))
    #expect(!equal("a", "ab"))
  }
}
