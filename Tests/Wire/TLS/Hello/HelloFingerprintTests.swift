import Testing

@testable import TapelineTLS

@Suite("The fingerprint of a ClientHello")
struct HelloFingerprintTests {
  private func fingerprint(
    suites: [UInt16] = [0x1301, 0x1302, 0xc02f], versions: [UInt16] = [0x0304, 0x0303], groups: [UInt16] = [0x001d, 0x0017],
    protocols: [String] = ["h2", "http/1.1"], name: String = "a.example", extra: [HelloBuilder.Extension] = [],
    reversed: Bool = false
  ) throws -> HelloFingerprint {
    let extensions: [HelloBuilder.Extension] =
      [
        HelloBuilder.serverName(name), HelloBuilder.versions(versions),
        HelloBuilder.applicationProtocols(protocols.map { Array($0.utf8) }),
        (10, HelloBuilder.vector(groups.flatMap { HelloBuilder.number(Int($0)) })), (13, [0, 2, 4, 3]),
      ] + extra
    let bytes = HelloBuilder(cipherSuites: suites, extensions: reversed ? extensions.reversed() : extensions).records()
    guard case .hello(let hello) = ClientHello.peek(bytes.span) else { throw Unreadable() }
    return hello.fingerprint
  }

  private struct Unreadable: Error {}

  @Test("It has no order, and is the same whatever the host, the randomness, the session and the padding are")
  func same() throws {
    let usual = try fingerprint()
    #expect(try fingerprint(reversed: true) == usual)
    #expect(try fingerprint(suites: [0xc02f, 0x1301, 0x1302]) == usual)
    #expect(try fingerprint(groups: [0x0017, 0x001d]) == usual)
    #expect(try fingerprint(name: "other.example") == usual)
    #expect(
      try fingerprint(
        suites: [0x1a1a, 0x1301, 0x1302, 0xc02f], versions: [0xeaea, 0x0304, 0x0303], groups: [0x2a2a, 0x1d, 0x17]) == usual)
    #expect(try fingerprint(extra: [(0x3a3a, []), (0xdada, [0])]) == usual)
    #expect(try fingerprint(extra: [(21, [0, 0, 0]), (35, [1, 2]), (41, [9]), (42, []), (44, [0, 1, 7])]) == usual)
    #expect(try fingerprint(suites: [0x1301, 0x1302, 0xc02f, 0x5600]) == usual)
    #expect(usual.description.count == 16)
  }

  @Test("It differs with what a program offers")
  func different() throws {
    let all = [
      try fingerprint(), try fingerprint(suites: [0x1301, 0x1302]), try fingerprint(versions: [0x0304]),
      try fingerprint(groups: [0x001d]), try fingerprint(protocols: ["http/1.1"]), try fingerprint(protocols: []),
      try fingerprint(extra: [(5, [1])]), try fingerprint(extra: [(23, [])]),
    ]
    #expect(Set(all).count == all.count)
  }

  @Test("Groups that are malformed make no hello unreadable", arguments: [[], [0], [0, 9, 1], [0, 3, 0, 29, 7]] as [[UInt8]])
  func malformedGroups(content: [UInt8]) throws {
    let bytes = HelloBuilder(extensions: [(10, content)]).records()
    guard case .hello = ClientHello.peek(bytes.span) else {
      Issue.record("not read")
      return
    }
  }
}
