import Testing

@testable import TapelineTLS

struct ClientHelloTests {
  private func read(_ bytes: [UInt8]) -> ClientHello? {
    switch ClientHello.peek(bytes.span) {
    case .hello(let hello): hello
    case .needsMore, .notTLS, .malformed: nil
    }
  }

  private let usual = HelloBuilder(
    cipherSuites: [0x0a0a, 0x1301, 0xc02f],
    extensions: [
      (0x1a1a, []), HelloBuilder.serverName("WWW.Example.Test."),
      HelloBuilder.applicationProtocols([[0x3a, 0x3a], Array("h2".utf8), Array("http/1.1".utf8)]),
      HelloBuilder.versions([0x2a2a, 0x0304, 0x0303]), (51, [0, 1, 2]),
    ])

  @Test func itSaysWhatTheClientSaid() throws {
    let hello = try #require(read(usual.records()))
    #expect(hello.serverName == "www.example.test")
    #expect(hello.applicationProtocols == [.http2, .http11])
    #expect(hello.versions == [.tls13, .tls12])
  }

  @Test func ourOwnHelloIsRead() throws {
    let contexts = try TestContexts(clientProtocols: [.http2, .http11])
    let engine = try TLSEngine(client: contexts.client, serverName: "example.test")
    try engine.start()
    var bytes: [UInt8] = []
    engine.takeCiphertext(into: &bytes)
    let hello = try #require(read(bytes))
    #expect(hello.serverName == "example.test")
    #expect(hello.applicationProtocols == [.http2, .http11])
    #expect(hello.versions == [.tls13, .tls12])
  }

  @Test(
    "RFC 7301 3.1: a protocol's name may be any bytes, and those that are not UTF-8 are left out",
    arguments: [
      [0xF0, 0x9F, 0x98],  // A character of four bytes without its last: replaced, it would be as long.
      [0xFF], [0xC3], [0xED, 0xA0, 0x80], Array("h2".utf8) + [0x80],
    ] as [[UInt8]])
  func protocolsThatAreNotTextAreLeftOut(_ name: [UInt8]) throws {
    let hello = try #require(
      read(HelloBuilder(extensions: [HelloBuilder.applicationProtocols([name, Array("h2".utf8)])]).records()))
    #expect(hello.applicationProtocols == [.http2])
  }

  @Test("An identifier names a session before TLS 1.3, where it means nothing (RFC 5246 7.4.1.2, RFC 8446 4.1.2)")
  func anIdentifierIsSeen() throws {
    func offersToResume(_ versions: [UInt16]) throws -> Bool {
      let builder = HelloBuilder(
        sessionID: Array(repeating: 1, count: 32), extensions: versions.isEmpty ? [] : [HelloBuilder.versions(versions)])
      return try #require(read(builder.records())).offersToResume
    }
    #expect(try offersToResume([]))
    #expect(try offersToResume([0x0303]))
    #expect(try !offersToResume([0x0304, 0x0303]))
  }

  @Test func itsMannerIsRead() throws {
    #expect(
      try #require(read(usual.records())).manner
        == HelloManner(newestVersion: .tls13, takesTickets: false, authenticatesLater: false))
    let other = HelloBuilder(extensions: [(35, []), (49, [])])
    #expect(
      try #require(read(other.records())).manner
        == HelloManner(newestVersion: .tls12, takesTickets: true, authenticatesLater: true))
  }

  @Test(
    "A hello accepts our leaf if it allows its signature, a cipher suite of ours and a group",
    arguments: [
      ([0x0304], [0x1301], [0x1d], [0x0403], true), ([0x0304, 0x0303], [0x1301, 0xc02b], [0x17], [0x0804, 0x0403], true),
      ([0x0304], [0x1301], [0x1d], [0x0804], false), ([0x0304], [0x1301], [0x1e], [0x0403], false),
      ([0x0304], [0x1304], [0x1d], [0x0403], false), ([0x0303], [0xc02f], [0x17], [0x0403], false),
      ([0x0303], [0xc02b], [0x17], [0x0403], true), ([0x0303], [0xc02b], [], [0x0403], true),
      ([0x0303], [0xc02b], [0x1d], [0x0403], false), ([0x0302], [0xc009], [0x17], [0x0403], false),
      ([0x0303], [0xc02b], [0x17], [], false),
    ] as [([UInt16], [UInt16], [UInt16], [UInt16], Bool)])
  func leaf(versions: [UInt16], suites: [UInt16], groups: [UInt16], signatures: [UInt16], accepts: Bool) throws {
    var builder = HelloBuilder(cipherSuites: suites, extensions: [HelloBuilder.versions(versions)])
    if !groups.isEmpty { builder.extensions.append(HelloBuilder.groups(groups)) }
    if !signatures.isEmpty { builder.extensions.append(HelloBuilder.signatureAlgorithms(signatures)) }
    #expect(try #require(read(builder.records())).acceptsLeaf == accepts)
  }

  @Test("Hellos of one program are kin, whatever versions of HTTP they offer")
  func kinship() throws {
    func hello(_ names: [String]) throws -> ClientHello {
      try #require(read(HelloBuilder(extensions: [HelloBuilder.applicationProtocols(names.map { Array($0.utf8) })]).records()))
    }
    let (both, one) = try (hello(["h2", "http/1.1"]), hello(["http/1.1"]))
    #expect(both.fingerprint != one.fingerprint)
    #expect(both.kinship == one.kinship)
    #expect(try both.kinship != #require(read(usual.records())).kinship)
  }

  @Test("A ticket names a session to resume; an empty one asks for a ticket (RFC 5077 3.2, RFC 8446 4.2.11)")
  func aTicketIsSeen() throws {
    func offersToResume(_ ticket: HelloBuilder.Extension) throws -> Bool {
      var hello = usual
      hello.extensions.append(ticket)
      return try #require(read(hello.records())).offersToResume
    }
    #expect(try #require(read(usual.records())).offersToResume == false)
    #expect(try !offersToResume((35, [])))
    #expect(try offersToResume((35, [7, 7])))
    #expect(try offersToResume((41, [0, 7, 0, 1, 7, 0, 0, 0, 0])))
  }

  @Test func withoutExtensionsTheLegacyVersionCounts() throws {
    let hello = try #require(read(HelloBuilder(legacyVersion: 0x0302).records()))
    #expect(hello.versions == [.tls11])
    #expect(hello.serverName == nil)
    #expect(hello.applicationProtocols.isEmpty)
  }

  @Test(arguments: [16_384, 100, 7, 1]) func everyPrefixNeedsMore(_ recordSize: Int) throws {
    let bytes = usual.records(of: recordSize)
    for count in 0..<bytes.count {
      #expect(ClientHello.peek(bytes.span.extracting(first: count)) == .needsMore)
    }
    let whole = try #require(read(bytes))
    #expect(read(bytes + [1, 2, 3]) == whole)
  }

  @Test func whatIsNoTLSIsKnownByItsFirstBytes() {
    #expect(ClientHello.peek(Array("G".utf8).span) == .notTLS)
    #expect(ClientHello.peek([0x80, 0x2e].span) == .notTLS)
    #expect(ClientHello.peek([22].span) == .needsMore)
    #expect(ClientHello.peek([22, 3].span) == .needsMore)
    #expect(ClientHello.peek([22, 2].span) == .notTLS)
    // A record of another kind.
    #expect(ClientHello.peek([21, 3, 1, 0, 2, 2].span) == .notTLS)
    #expect(ClientHello.peek([20, 3, 1, 0, 1, 1].span) == .notTLS)
  }

  @Test("A record's version means nothing, and so do a few records without content (RFC 8446 5.1)")
  func oddRecords() throws {
    let whole = try #require(read(usual.records()))
    for minor in [0, 5, 9, 255] as [UInt8] {
      var bytes = usual.records(of: 100)
      bytes[2] = minor
      #expect(read(bytes) == whole)
    }
    let empty: [UInt8] = [22, 3, 1, 0, 0]
    for count in [1, 32] {
      let bytes = Array(repeatElement(empty, count: count).joined())
      #expect(ClientHello.peek(bytes.span) == .needsMore)
      #expect(read(bytes + usual.records(of: 100)) == whole)
    }
    #expect(ClientHello.peek(Array(repeatElement(empty, count: 33).joined()).span) == .malformed)
  }

  @Test("What begins as TLS and is no hello is not taken for another protocol")
  func malformedHellos() {
    // A record that is too long, another message, a message without end.
    #expect(ClientHello.peek([22, 3, 1, 0xff].span) == .malformed)
    #expect(ClientHello.peek([22, 3, 1, 0, 4, 2].span) == .malformed)
    #expect(ClientHello.peek([22, 3, 1, 0, 4, 1, 2, 0, 0].span) == .malformed)
    #expect(ClientHello.peek([22, 3, 1, 0, 0, 23, 3, 3, 0, 1, 0].span) == .malformed)
  }

  @Test(
    "A name that no host has is none: the tunnel's counts",
    arguments: ["", ".", "a b", "\u{0}", "a\u{7f}", "ü.test", String(repeating: "a", count: 256)])
  func namesOfNoHost(name: String) throws {
    let hello = try #require(read(HelloBuilder(extensions: [HelloBuilder.serverName(name)]).records()))
    #expect(hello.serverName == nil)
  }

  // Two names, a list that is too short, one that is too long.
  static let malformed: [[HelloBuilder.Extension]] = [
    [HelloBuilder.serverName("a.test"), HelloBuilder.serverName("b.test")], [(0, [0, 9, 0])],
    [HelloBuilder.serverName("a b"), HelloBuilder.serverName("b.test")], [(16, [0, 1, 0])], [(16, [0, 9, 1, 65])],
    [(43, [3, 3, 4, 3])], [(43, [2, 3, 4, 3])],
  ]

  @Test(arguments: malformed.indices) func malformedExtensionsAreNoHello(_ index: Int) {
    let bytes = HelloBuilder(extensions: Self.malformed[index]).records()
    #expect(ClientHello.peek(bytes.span) == .malformed)
  }

  @Test func bytesBehindTheExtensionsAreNoHello() {
    var message = usual.message()
    message[3] += 1
    message.append(0)
    let bytes = [22, 3, 1] + HelloBuilder.vector(message)
    #expect(ClientHello.peek(bytes.span) == .malformed)
  }

  @Test func mutatedHellosNeverCrash() {
    var random = SystemRandomNumberGenerator()
    let bytes = usual.records()
    for _ in 0..<50_000 {
      var mutant = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        mutant[Int.random(in: mutant.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { mutant.removeLast(Int.random(in: 0...mutant.count, using: &random)) }
      switch ClientHello.peek(mutant.span) {
      case .hello(let hello): #expect(hello.serverName?.isEmpty != true)
      case .needsMore, .notTLS, .malformed: break
      }
    }
  }
}
