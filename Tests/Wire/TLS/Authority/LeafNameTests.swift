import Testing

@testable import TapelineTLS

@Suite("Leaf name")
struct LeafNameTests {
  @Test(
    "A host has one spelling",
    arguments: [
      ("example.test", "example.test"), ("EXAMPLE.Test.", "example.test"), ("a_b-c.1x", "a_b-c.1x"), ("\u{212A}", "\u{212A}"),
    ])
  func normalized(host: String, name: String) {
    #expect(LeafName.normalized(host) == name)
  }

  @Test("Literals are addresses, in network order")
  func addresses() throws {
    #expect(try LeafName(host: "192.0.2.1") == .address("192.0.2.1", [192, 0, 2, 1]))
    #expect(try LeafName(host: "::1") == .address("::1", [UInt8](repeating: 0, count: 15) + [1]))
    #expect(
      try LeafName(host: "2001:DB8::A")
        == .address("2001:db8::a", [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [0x0A]))
  }

  @Test("What looks like an address and is none is a name")
  func names() throws {
    #expect(try LeafName(host: "1.2.3.4.5") == .dns("1.2.3.4.5"))
    #expect(try LeafName(host: "server1") == .dns("server1"))
  }

  @Test(
    "What no certificate may hold is refused",
    arguments: [
      "", ".", "a..b", ".a", "*.example.test", "a b", "a\u{0}b", "1.2.3.4\u{0}", "::1\u{0}", "a,IP:1.2.3.4", "münchen.de",
      "\u{212A}.test", "::zz", "[::1]",
      String(repeating: "a", count: 64), Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: "."),
    ])
  func refused(host: String) {
    let error = #expect(throws: AuthorityError.self) { try LeafName(host: host) }
    #expect(error?.kind == .hostName)
  }
}
