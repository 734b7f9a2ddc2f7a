import COpenSSL
import Testing

@testable import TapelineTLS

/// A server that leaves its client's hello without an answer until somebody has chosen the application protocol.
struct ProtocolChoiceTests {
  private static let both: [ApplicationProtocol] = [.http2, .http11]

  private func contexts(_ version: TLSVersion = .tls13) throws -> TestContexts {
    try TestContexts(version: version, clientProtocols: Self.both, serverProtocols: Self.both)
  }

  // MARK: The hello waits

  @Test(arguments: TLSEngineTests.versions, both)
  func theChoiceIsTheAnswer(on version: TLSVersion, chosen: ApplicationProtocol) throws {
    let pair = try contexts(version).pair(holdsProtocol: true)
    pair.run()
    #expect(pair.sentToClient == 0 && pair.server.failure == nil)
    #expect(pair.server.engine.awaitsProtocol && pair.server.engine.resumedLineage == nil)
    pair.server.choose([chosen])
    #expect(!pair.server.engine.awaitsProtocol)
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.client.engine.parameters.applicationProtocol == chosen)
    #expect(pair.server.engine.parameters.applicationProtocol == chosen)
    #expect(pair.server.engine.hasSentCertificate)
    pair.client.write(Array("ping".utf8))
    pair.run()
    #expect(pair.server.received == Array("ping".utf8))
  }

  @Test(arguments: TLSEngineTests.versions) func theChoiceMayComeBeforeTheHello(_ version: TLSVersion) throws {
    let pair = try contexts(version).pair(holdsProtocol: true)
    pair.server.choose([.http11])
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.client.engine.parameters.applicationProtocol == .http11)
  }

  @Test(arguments: TLSEngineTests.versions, [1, 5, 64]) func theHelloMayComeInPieces(_ version: TLSVersion, size: Int) throws {
    let pair = try contexts(version).pair(holdsProtocol: true)
    pair.run(inPiecesOf: size)
    pair.server.choose([.http2])
    pair.run(inPiecesOf: size)
    #expect(pair.isEstablished)
    #expect(pair.client.engine.parameters.applicationProtocol == .http2)
  }

  /// The choice may come between any two pieces of the hello.
  @Test func theChoiceMayComeInTheMiddleOfTheHello() throws {
    let pair = try contexts().pair(holdsProtocol: true)
    let hello = pair.client.takeOutgoing()
    pair.server.feed(hello.span.extracting(first: 100))
    pair.server.choose([.http2])
    pair.server.feed(hello.span.extracting(droppingFirst: 100))
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.client.engine.parameters.applicationProtocol == .http2)
  }

  @Test("A client whose first key share is of no use sends a second hello (RFC 8446 4.1.4)")
  func aSecondHelloIsAnsweredAlike() throws {
    let contexts = try contexts()
    #expect(unsafe tapeline_ssl_context_set_groups(contexts.client.handle.pointer, "P-521:X25519") == 1)
    let pair = try contexts.pair(holdsProtocol: true)
    pair.run()
    #expect(pair.sentToClient == 0)
    pair.server.choose([.http11])
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.client.engine.parameters.applicationProtocol == .http11)
  }

  @Test(arguments: TLSEngineTests.versions) func aClientThatOffersNoProtocolCanWaitToo(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version, clientProtocols: [], serverProtocols: Self.both)
    let first = try contexts.pair(lineage: 7, holdsHello: true)
    first.run()
    #expect(first.sentToClient == 0)
    #expect(first.server.engine.heldBytes.first == 22, "what it has sent can be given to somebody else")
    first.server.choose([.http11])
    first.run()
    #expect(first.isEstablished && first.server.engine.heldBytes.isEmpty)
    #expect(first.client.engine.parameters.applicationProtocol == nil)
    let session = try #require(first.client.sessions.last)
    let second = try contexts.pair(session: session, lineage: 8, holdsHello: true)
    second.run()
    #expect(second.server.engine.resumedLineage == 7)
    second.server.choose([.http11])
    second.run()
    #expect(second.isEstablished && second.server.engine.parameters.isResumed)
  }

  // MARK: Resumption

  @Test(arguments: TLSEngineTests.versions, both)
  func whatIsResumedIsKnownBeforeTheChoice(on version: TLSVersion, chosen: ApplicationProtocol) throws {
    let contexts = try contexts(version)
    let first = try contexts.pair(lineage: 7, holdsProtocol: true)
    first.server.choose([.http2])
    first.run()
    let session = try #require(first.client.sessions.last)

    let second = try contexts.pair(session: session, lineage: 8, holdsProtocol: true)
    second.run()
    #expect(second.sentToClient == 0)
    #expect(second.server.engine.resumedLineage == 7)
    second.server.choose([chosen])
    second.run()
    #expect(second.isEstablished)
    #expect(second.client.engine.parameters.isResumed && second.server.engine.parameters.isResumed)
    #expect(!second.server.engine.hasSentCertificate)
    #expect(second.client.engine.parameters.applicationProtocol == chosen)
    #expect(second.server.engine.parameters.applicationProtocol == chosen)

    let third = try contexts.pair(session: second.client.sessions.last ?? session, holdsProtocol: true)
    third.run()
    #expect(third.server.engine.resumedLineage == (version == .tls13 ? 8 : 7), "TLS 1.3 renews the ticket")
  }

  @Test(arguments: TLSEngineTests.versions) func aStrangersTicketIsNoResumption(_ version: TLSVersion) throws {
    let contexts = try contexts(version)
    let session = try #require(try contexts.establishedPair().client.sessions.last)
    let stranger = try TLSServerContext(applicationProtocols: Self.both)
    let pair = try EnginePair(
      client: contexts.client, server: stranger, credentials: contexts.leaf.credentials, session: session, holdsProtocol: true)
    pair.run()
    #expect(pair.server.engine.resumedLineage == nil)
    pair.server.choose([.http2])
    pair.run()
    #expect(pair.isEstablished && !pair.client.engine.parameters.isResumed)
  }

  // MARK: Nothing to choose

  @Test(arguments: TLSEngineTests.versions) func aClientWithoutALPNDoesNotWait(_ version: TLSVersion) throws {
    let pair = try TestContexts(version: version, clientProtocols: [], serverProtocols: Self.both).pair(holdsProtocol: true)
    pair.run()
    #expect(pair.isEstablished && !pair.server.engine.awaitsProtocol)
    #expect(pair.server.engine.parameters.applicationProtocol == nil)
  }

  @Test func whatIsNoTLSIsRefusedAtOnce() throws {
    let contexts = try contexts()
    let engine = try TLSEngine(server: contexts.server, credentials: contexts.leaf.credentials, holdsProtocol: true)
    let error = #expect(throws: TLSError.self) { try engine.handshake(Array("GET / HTTP/1.1\r\n\r\n".utf8).span) }
    #expect(error?.kind == .notTLS)
  }

  @Test(arguments: [[], [ApplicationProtocol(name: "spdy/3")]])
  func aChoiceThatTheClientDoesNotOfferEndsTheHandshake(_ chosen: [ApplicationProtocol]) throws {
    let pair = try contexts().pair(holdsProtocol: true)
    pair.run()
    pair.server.choose(chosen)
    pair.run()
    #expect(pair.server.failure?.kind == .noApplicationProtocol)
    #expect(pair.client.failure?.kind == .peerAlert(.noApplicationProtocol))
  }

  // MARK: No choice

  @Test func aClientThatLeavesBeforeTheChoiceIsAFailure() throws {
    let pair = try contexts().pair(holdsProtocol: true)
    pair.run()
    pair.server.receiveEnd()
    let failure = try #require(pair.server.failure)
    #expect(failure.kind == .truncated)
    #expect(throws: failure) { try pair.server.engine.choose([.http2]) }
    #expect(pair.server.takeOutgoing().isEmpty)
  }

  @Test func whatIsHeldIsBounded() throws {
    let pair = try contexts().pair(holdsProtocol: true)
    pair.run()
    let piece = [UInt8](repeating: 0, count: 16_384)
    for _ in 0..<16 where pair.server.failure == nil { pair.server.feed(piece.span) }
    #expect(pair.server.failure?.kind == .protocolViolation)
  }

  @Test func nothingHoldsAnEngineThatWaits() throws {
    let contexts = try contexts()
    weak var server: TLSEngine?
    do {
      let session = try contexts.establishedPair().client.sessions.last
      let pair = try contexts.pair(session: session, holdsProtocol: true)
      pair.run()
      server = pair.server.engine
    }
    #expect(server == nil)
  }
}
