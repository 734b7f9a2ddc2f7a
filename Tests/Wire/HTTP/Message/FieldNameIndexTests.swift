import Testing

@testable import TapelineHTTP

@Suite struct FieldNameIndexTests {
  @Test func namesOfEveryLengthAreDecided() {
    for length in 0...64 {
      let token = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      #expect(FieldNameIndex.shared.name(of: token.span) == .other)
    }
  }

  @Test func namesThatDifferOnlyInTheMiddleAreTold() {
    #expect(FieldNameIndex.shared.name(of: Array("Proxy-Authorization".utf8).span) == .proxyAuthorization)
    #expect(FieldNameIndex.shared.name(of: Array("Proxy-AuXXorization".utf8).span) == .other)
  }
}
