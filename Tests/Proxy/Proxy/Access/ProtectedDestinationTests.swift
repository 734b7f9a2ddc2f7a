import TapelineLoop
import Testing

@testable import TapelineProxy

@Suite struct ProtectedDestinationTests {
  private func protection(of literal: String, own: Set<String> = []) throws -> ProtectedDestination? {
    let address = try #require(SocketAddress(literal: literal, port: 80))
    return ProtectedDestination(address) { own.contains($0.host) }
  }

  @Test(
    "The addresses at which clouds answer for their machines",
    arguments: [
      "169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23",
      "fd20:ce::254", "fd00:c1::a9fe:a9fe",
    ])
  func clouds(literal: String) throws {
    #expect(try protection(of: literal) == .cloudMetadata)
  }

  @Test(
    "RFC 3927 2.1, RFC 4291 2.5.6: link-local addresses", arguments: ["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1"])
  func linkLocal(literal: String) throws {
    #expect(try protection(of: literal) == .linkLocal)
  }

  @Test(
    "RFC 1122 3.2.1.3, RFC 4291 2.5.3: addresses of the machine itself, on any interface",
    arguments: ["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::"])
  func thisMachine(literal: String) throws {
    #expect(try protection(of: literal) == .thisMachine)
  }

  @Test("What the interfaces of the machine have is the machine")
  func interfaces() throws {
    #expect(try protection(of: "10.1.2.3", own: ["10.1.2.3"]) == .thisMachine)
    #expect(try protection(of: "10.1.2.4", own: ["10.1.2.3"]) == nil)
    #expect(try protection(of: "fd00::7", own: ["fd00::7"]) == .thisMachine)
  }

  @Test(
    "RFC 4291 2.5.5, RFC 6052 2.1, RFC 3056 2: an IPv4 address in an IPv6 one is protected as itself",
    arguments: [
      ("::ffff:127.0.0.1", ProtectedDestination.thisMachine), ("::ffff:169.254.169.254", .cloudMetadata),
      ("::127.0.0.1", .thisMachine), ("::169.254.169.254", .cloudMetadata), ("64:ff9b::169.254.1.1", .linkLocal),
      ("64:ff9b::7f00:1", .thisMachine), ("2002:a9fe:a9fe::1", .cloudMetadata), ("2002:7f00:1::", .thisMachine),
      ("64:ff9b:1:a9fe:a9:fe00::", .cloudMetadata), ("64:ff9b:1:ffa9:fe:a9fe::", .cloudMetadata),
      ("64:ff9b:1:fffe:7f:0:100:0", .thisMachine), ("64:ff9b:1::7f00:1", .thisMachine),
      ("::ffff:0:169.254.169.254", .cloudMetadata),
      ("::ffff:0:127.0.0.1", .thisMachine), ("2001:0:7f00:1::1", .thisMachine), ("2001:0:c000:201:0:0:80ff:fffe", .thisMachine),
      ("2001:0:c000:201::5601:5601", .cloudMetadata),
    ])
  func embedded(literal: String, expected: ProtectedDestination) throws {
    #expect(try protection(of: literal) == expected)
  }

  @Test(
    "Every other address is not",
    arguments: [
      "192.0.2.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.253.255.255", "169.255.0.0", "128.0.0.1", "126.255.255.255",
      "100.100.100.201", "168.63.129.17", "1.0.0.1", "2001:db8::1", "fd00:ec3::254", "fec0::1", "64:ff9b::192.0.2.1",
      "2002:c000:201::1", "64:ff9b:1:c000:2:100::", "::ffff:0:192.0.2.1", "2001:0:c000:201::3fff:fdfe", "2001:db8:7f00:1::",
      "::ffff:192.0.2.1",
    ])
  func others(literal: String) throws {
    #expect(try protection(of: literal) == nil)
  }

  @Test("RFC 6761 6.3: names that mean such a place wherever they are looked up")
  func names() {
    for name in ["localhost", "LOCALHOST.", "a.b.localhost"] {
      #expect(ProtectedDestination(name: name) == .thisMachine, "\(name)")
    }
    for name in ["metadata.google.internal", "Metadata.Google.Internal.", "metadata.goog"] {
      #expect(ProtectedDestination(name: name) == .cloudMetadata, "\(name)")
    }
    for name in ["example.com", "localhost.example", "notlocalhost", "metadata.google.internal.example", ""] {
      #expect(ProtectedDestination(name: name) == nil, "\(name)")
    }
  }
}
