import Testing

@testable import TapelineHTTP

@Suite struct OctetSetTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  private static let digits = "0123456789"

  @Test(arguments: [
    (OctetSet.token, letters + digits + "!#$%&'*+-.^_`|~"),
    (OctetSet.registeredName, letters + digits + "-._~" + "!$&'()*+,;="),
    (OctetSet.userinfo, letters + digits + "-._~" + "!$&'()*+,;=" + ":"),
    (OctetSet.hexadecimal, digits + "abcdefABCDEF"),
    (OctetSet.addressLiteral, digits + "abcdefABCDEF" + ":."),
    (OctetSet.scheme, letters + digits + "+-."),
  ])
  func aSetHoldsExactlyTheOctetsOfItsRule(set: OctetSet, octets: String) {
    let expected = Set(octets.utf8)
    for octet in UInt8.min...UInt8.max {
      #expect(set.contains(octet) == expected.contains(octet), "octet \(octet)")
    }
  }

  @Test func blanksAreSpaceAndTab() {
    #expect((UInt8.min...UInt8.max).filter(Octet.isBlank) == [0x09, 0x20])
  }

  @Test func digitsAreTen() {
    #expect((UInt8.min...UInt8.max).filter(Octet.isDigit) == Array(Self.digits.utf8))
  }
}
