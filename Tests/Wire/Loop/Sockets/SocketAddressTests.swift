import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineLoop

struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1", "127.0.0.1:80"), ("::1", "::1", "[::1]:80"), ("2001:DB8::0:1", "2001:db8::1", "[2001:db8::1]:80"),
    ("::ffff:127.0.0.1", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80"), ("fe80::1%lo", "fe80::1%lo", "[fe80::1%lo]:80"),
  ])
  func readsAndPrintsLiterals(_ literal: String, _ host: String, _ description: String) throws {
    let address = try #require(SocketAddress(literal: literal, port: 80))
    #expect(address.host == host)
    #expect(address.port == 80)
    #expect(address.description == description)
    #expect(address.family == (literal.contains(":") ? .ipv6 : .ipv4))
  }

  @Test(arguments: [
    "", "localhost", "127.1", "0x7f.0.0.1", "127.0.0.1 ", "[::1]", "::1%nosuchif", "1.2.3.4.5", "::1::", "127.0.0.256",
    "127.0.0.1\0.example",
  ])
  func refusesWhatIsNoLiteral(_ text: String) {
    #expect(SocketAddress(literal: text, port: 80) == nil)
  }

  @Test func hasBytesAsTheyLieOnTheWire() throws {
    #expect(try #require(SocketAddress(literal: "10.0.200.7", port: 80)).ip.bytes == [10, 0, 200, 7])
    let six = try #require(SocketAddress(literal: "2001:db8::7", port: 80)).ip.bytes
    #expect(six == [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7])
  }

  @Test func knowsLoopbackAndUnspecified() throws {
    for (literal, isLoopback, isUnspecified) in [
      ("127.0.0.1", true, false), ("127.255.0.9", true, false), ("128.0.0.1", false, false), ("::1", true, false),
      ("::2", false, false),
      ("::ffff:127.0.0.1", true, false), ("::ffff:10.0.0.1", false, false), ("::", false, true), ("0.0.0.0", false, true),
    ] {
      let address = try #require(SocketAddress(literal: literal, port: 1))
      #expect(address.isLoopback == isLoopback, "\(literal)")
      #expect(address.isUnspecified == isUnspecified, "\(literal)")
    }
  }

  @Test func equalityIsOfAllParts() throws {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 80))
    #expect(address == SocketAddress(literal: "127.0.0.1", port: 80))
    #expect(address != SocketAddress(literal: "127.0.0.1", port: 81))
    #expect(address != SocketAddress(literal: "127.0.0.2", port: 80))
    #expect(address != SocketAddress(literal: "::ffff:127.0.0.1", port: 80))
    #expect(address.with(port: 81).port == 81)
    #expect(Set([address, address.with(port: 81), address.with(port: 80)]).count == 2)
  }

  @Test func survivesTheFence() throws {
    for literal in ["10.1.2.3", "2001:db8::5", "fe80::1%lo"] {
      let address = try #require(SocketAddress(literal: literal, port: 443))
      #expect(SocketAddress(address.fenced) == address)
    }
  }

  @Test("The system reads and writes an address as the ground floor does")
  func agreesWithIPAddress() throws {
    let hosts = try CorpusURL.all().flatMap { url in [url.place?.host, url.authority].compactMap(\.self) }
    let bare = hosts.map { $0.hasPrefix("[") && $0.hasSuffix("]") ? String($0.dropFirst().dropLast()) : $0 }
    for text in Set(hosts + bare) where !text.contains("%") {
      let address = SocketAddress(literal: text, port: 1)
      #expect(address?.ip == IPAddress(text), "\(text)")
      #expect(address?.host == IPAddress(text)?.description, "\(text)")
    }
  }
}
