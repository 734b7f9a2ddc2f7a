import Testing

@testable import TapelineHTTP

@Suite struct OctetTextTests {
  @Test func validUTF8IsDecodedAsSuch() {
    let octets = Array("Zürich 🐟".utf8)
    #expect(String(octets: octets.span) == "Zürich 🐟")
  }

  @Test func anythingElseIsLatin1WithoutLoss() {
    let octets = Array(UInt8.min...UInt8.max)
    let text = String(octets: octets.span)
    #expect(text.unicodeScalars.map { UInt8(exactly: $0.value) } == octets.map { $0 })
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

  @Test func onlySpaceAndTabAreTrimmed() {
    let octets: [UInt8] = [0x20, 0x09, 0xA0, 0x0B, 0x20, 0x09]
    #expect(octets.span.trimmed(0..<6) == 2..<4)
    #expect(octets.span.trimmed(0..<2).isEmpty)
  }
}
