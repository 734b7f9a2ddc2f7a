import TapelineBase
import Testing

@Suite("Hosts")
struct HostTests {
  @Test("Names have no case, addresses have one spelling, and the root's dot changes nothing (RFC 9110 4.2.3)")
  func equality() {
    #expect(Host("Example.COM.") == Host("example.com"))
    #expect(Host("[2001:DB8::1]") == Host("2001:db8:0::1"))
    #expect(Host("127.0.0.1.") == Host("127.0.0.1"))
    #expect(Host("127.0.0.1") != Host("127.1"))
    // KELVIN SIGN, whose small letter is an ordinary k.
    #expect(Host("\u{212A}.test") != Host("k.test"))
    #expect(Host(".") == .name("."))
  }

  @Test(
    "An address is below nothing, in whatever form a system would read one (RFC 6265 5.1.3)",
    arguments: [
      ("www.example.com", "example.com", true), ("a.b.Example.com.", "example.com", true), ("example.com", "example.com", false),
      ("badexample.com", "example.com", false), ("127.0.0.1", "0.0.1", false), ("::1", "1", false), ("1.2.3", "2.3", false),
      ("x.0x7f.1", "0x7f.1", false), ("a1.b2", "b2", true),
    ])
  func below(host: String, domain: String, expected: Bool) {
    #expect(Host(host).isBelow(domain) == expected)
  }

  @Test("Localhost and below are the loopback (RFC 6761 6.3)")
  func localhost() {
    #expect(["localhost", "LOCALHOST.", "a.localhost"].allSatisfy { Host($0).isLocalhost })
    #expect(!["localhost.example", "mylocalhost", "127.0.0.1"].contains { Host($0).isLocalhost })
  }
}
