import TapelineBase
import Testing

@Suite("Base 16 (RFC 4648 8)")
struct HexadecimalTests {
  @Test(
    "The vectors of RFC 4648 10, in small digits",
    arguments: [("", ""), ("f", "66"), ("foob", "666f6f62"), ("foobar", "666f6f626172")])
  func vectors(text: String, digits: String) {
    #expect(Hexadecimal.text(of: Array(text.utf8)) == digits)
  }

  @Test("Each digit has its value, in either case, and no other byte has one")
  func values() {
    for byte in UInt8.min...UInt8.max {
      let expected = ByteSet.hexadecimal.contains(byte) ? UInt8(String(decoding: [byte], as: UTF8.self), radix: 16) : nil
      #expect(Hexadecimal.value(of: byte) == expected)
    }
    for value in 0..<UInt8(16) {
      #expect(Hexadecimal.value(of: Hexadecimal.digit(value)) == value)
      #expect(Hexadecimal.value(of: Hexadecimal.capitalDigit(value)) == value)
    }
    #expect(Hexadecimal.digit(11) == UInt8(ascii: "b") && Hexadecimal.capitalDigit(11) == UInt8(ascii: "B"))
  }

  @Test("A number has zeros in front, and is never cut")
  func numbers() {
    #expect(Hexadecimal.text(of: UInt8(0xA), digits: 2) == "0a")
    #expect(Hexadecimal.text(of: UInt64.max, digits: 4) == "ffffffffffffffff")
    #expect(Hexadecimal.text(of: UInt(0), digits: 4) == "0000")
  }
}
