import TapelineLoop
import Testing

@testable import TapelineProxy

@Suite struct DestinationPatternTests {
  @Test(
    "Hosts as a client names them",
    arguments: [
      ("example.com", "EXAMPLE.com.", 80, true), ("*.example.com", "a.example.com", 443, true),
      ("*.example.com", "example.com", 443, false), ("*", "anything", 1, true), ("*:443", "anything", 443, true),
      ("*:443", "anything", 80, false), ("localhost:3000", "localhost", 3000, true), ("localhost:3000", "localhost", 3001, false),
      ("127.0.0.1:80", "127.0.0.1", 80, true), ("[::1]:80", "0:0:0:0:0:0:0:1", 80, true), ("[::1]:80", "::1", 81, false),
      ("::1", "::1", 81, true), ("10.0.0.0/8", "10.255.0.1", 80, true), ("10.0.0.0/8", "11.0.0.1", 80, false),
      ("10.0.0.0/8", "ten.example", 80, false), ("[fd00::]/8", "fd12::1", 80, true), ("fd00::/8", "fe00::1", 80, false),
      ("10.0.0.0/8", "::ffff:10.0.0.1", 80, true),
    ])
  func hosts(pattern: String, host: String, port: UInt16, expected: Bool) throws {
    #expect(try #require(DestinationPattern(pattern)).matches(host: host, port: port) == expected)
  }

  @Test(
    "Addresses that a name has turned out to be",
    arguments: [
      ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "::ffff:127.0.0.1", true), ("127.0.0.1", "0.0.0.0", true),
      ("127.0.0.1:80", "127.0.0.1", true), ("127.0.0.1:81", "127.0.0.1", false), ("10.0.0.0/8", "10.1.2.3", true),
      ("example.com", "10.1.2.3", false), ("::1", "::", true),
    ])
  func addresses(pattern: String, literal: String, expected: Bool) throws {
    let address = try #require(SocketAddress(literal: literal, port: 80))
    #expect(try #require(DestinationPattern(pattern)).matches(address) == expected)
  }

  @Test("Only one host names a host")
  func names() throws {
    for (pattern, expected) in [
      ("127.0.0.1", true), ("127.0.0.1:80", true), ("127.0.0.1:81", false), ("*", false), ("*:80", false), ("127.0.0.0/8", false),
    ] {
      #expect(try #require(DestinationPattern(pattern)).names(host: "127.0.0.1", port: 80) == expected, "\(pattern)")
    }
  }

  @Test(
    "What is no pattern",
    arguments: [
      "", ":80", "a:", "a:0", "a:65536", "a:+1", "a:b", "a b", "http://a", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "a/8",
      "[::1", "example.com:80:90", "*.:80",
    ])
  func isNone(text: String) {
    #expect(DestinationPattern(text) == nil)
  }
}
