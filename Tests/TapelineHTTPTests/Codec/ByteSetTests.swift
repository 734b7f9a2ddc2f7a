import Testing

@testable import TapelineHTTP

@Suite struct ByteSetTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  private static let digits = "0123456789"

  @Test(arguments: [
    (ByteSet.token, letters + digits + "!#$%&'*+-.^_`|~"),
    (ByteSet.registeredName, letters + digits + "-._~" + "!$&'()*+,;="),
    (ByteSet.userinfo, letters + digits + "-._~" + "!$&'()*+,;=" + ":"),
    (ByteSet.hexadecimal, digits + "abcdefABCDEF"),
    (ByteSet.addressLiteral, digits + "abcdefABCDEF" + ":."),
    (ByteSet.scheme, letters + digits + "+-."),
  ])
  func aSetHoldsExactlyTheBytesOfItsRule(set: ByteSet, bytes: String) {
    let expected = Set(bytes.utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(set.contains(byte) == expected.contains(byte), "byte \(byte)")
    }
  }

  @Test func blanksAreSpaceAndTab() {
    #expect((UInt8.min...UInt8.max).filter(Byte.isBlank) == [0x09, 0x20])
  }

  @Test func digitsAreTen() {
    #expect((UInt8.min...UInt8.max).filter(Byte.isDigit) == Array(Self.digits.utf8))
  }
}
