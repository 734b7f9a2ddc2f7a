import TapelineBase
import Testing

@Suite("IP addresses")
struct IPAddressTests {
  @Test(
    "An address has one spelling (RFC 5952 4)",
    arguments: [
      ("0.0.0.0", "0.0.0.0"), ("192.0.2.1", "192.0.2.1"), ("255.255.255.255", "255.255.255.255"), ("::", "::"), ("::1", "::1"),
      ("2001:DB8::1", "2001:db8::1"), ("2001:0db8:0:0:0:0:0:0001", "2001:db8::1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
      ("1::", "1::"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
      ("1:2:3:4:5:6:0:8", "1:2:3:4:5:6:0:8"),
      ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("::ffff:c000:201", "::ffff:192.0.2.1"), ("::192.0.2.1", "::192.0.2.1"),
      ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"), ("0:0:0:1::", "0:0:0:1::"), ("::ffff:0:1.2.3.4", "::ffff:0:102:304"),
      ("fe80::1%eth0", "fe80::1%eth0"),
    ])
  func spelling(text: String, expected: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == expected)
    #expect(IPAddress(expected) == address)
  }

  @Test("Every number of an IPv4 address, at every place")
  func numbers() {
    for number in UInt8.min...UInt8.max {
      for place in 0..<4 {
        var bytes: [UInt8] = [1, 23, 0, 255]
        bytes[place] = number
        let expected = bytes.map { String($0) }.joined(separator: ".")
        #expect(IPAddress(bytes: bytes).description == expected)
      }
    }
  }

  @Test(
    "What is no address (RFC 4291 2.2)",
    arguments: [
      "", "example.com", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", "1.2.3.-4", "1.2.3.4 ", "1:2:3", "1:2:3:4:5:6:7:8:9",
      ":::",
      "1::2::3", "12345::", "g::1", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "1:2:3:4::5:6:7:8", ":1::", "1:", "[::1]", "::1%",
      "1.2.3.4%eth0", "127.1", "0x7f.0.0.1", "2130706433", "::1:80:", "::1.2.3.4:5", "1.2.3.4\u{0}",
    ])
  func none(text: String) {
    #expect(IPAddress(text) == nil)
  }
}

@Suite("Address blocks")
struct AddressBlockTests {
  @Test(
    "A block holds what begins like it (RFC 4632 3.1)",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
      ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false), ("10.0.0.77/24", "10.0.0.1", true),
      ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("fe80::/10", "febf::1%eth0", true),
      ("fe80::/10", "fec0::1", false), ("[fd00::]/8", "fd12::1", true), ("127.0.0.1/32", "127.0.0.2", false),
    ])
  func holds(block: String, address: String, expected: Bool) throws {
    #expect(try #require(AddressBlock(text: block)).contains(try #require(IPAddress(address))) == expected)
  }

  @Test(
    "What is no block",
    arguments: ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/", "name/8", "::/129", "10.0.0.0", "/8"])
  func none(text: String) {
    #expect(AddressBlock(text: text) == nil)
  }
}
