import TapelineTestSupport
import Testing

@testable import TapelineLoop

@Suite("Addresses of this machine")
struct SocketAddressMachineTests {
  @Test(
    "RFC 1122 3.2.1.3: loopback, however it is written",
    arguments: ["127.0.0.1", "127.8.9.1", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"])
  func loopback(literal: String) throws {
    #expect(try #require(SocketAddress(literal: literal, port: 80)).isOfThisMachine)
  }

  @Test("What an interface has, at every port", .enabled(if: InterfaceAddress.first != nil, "this machine has loopback only"))
  func interfaces() throws {
    let host = try #require(InterfaceAddress.first).host
    for literal in [host, "::ffff:\(host)"] {
      for port: UInt16 in [0, 1, 65_535] {
        #expect(try #require(SocketAddress(literal: literal, port: port)).isOfThisMachine, "\(literal) \(port)")
      }
    }
  }

  @Test("What no interface has", arguments: ["192.0.2.201", "198.51.100.7", "2001:db8::7", "169.254.169.254", "255.255.255.255"])
  func others(literal: String) throws {
    #expect(try !#require(SocketAddress(literal: literal, port: 80)).isOfThisMachine)
  }
}
