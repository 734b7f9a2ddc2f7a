import Testing

@testable import TapelineTLS

struct TLSSessionTests {
  @Test(arguments: TLSEngineTests.versions) func aSessionIsResumed(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    let first = try contexts.establishedPair()
    let session = try #require(first.client.sessions.last)
    #expect(session.serverName == "example.test")
    #expect(session.isSingleUse == (version == .tls13))

    let second = try contexts.pair(session: session)
    second.run()
    #expect(second.client.engine.parameters.isResumed)
    #expect(second.server.engine.parameters.isResumed)
    #expect(!second.server.engine.hasSentCertificate)
    #expect(second.client.engine.parameters.verification == .verified)
    #expect(second.client.engine.parameters.applicationProtocol == .http11)
    #expect(second.client.engine.parameters.certificate?.names.first == "example.test")
    #expect(second.server.engine.parameters.serverName == "example.test")
    second.client.write(Array("ping".utf8))
    second.run()
    #expect(second.server.received == Array("ping".utf8))
  }

  /// TLS 1.3 renews them: each connection leaves one for the next.
  @Test func resumptionGoesOn() throws {
    let contexts = try TestContexts(version: .tls13)
    var session = try #require(try contexts.establishedPair().client.sessions.last)
    for _ in 0..<5 {
      let pair = try contexts.pair(session: session)
      pair.run()
      #expect(pair.client.engine.parameters.isResumed)
      session = try #require(pair.client.sessions.last)
    }
  }

  /// OpenSSL would call a session broken whose connection went without close_notify.
  @Test(arguments: TLSEngineTests.versions) func aSessionOutlivesAConnectionThatWasDropped(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    var session: TLSSession?
    do {
      let pair = try contexts.establishedPair()
      session = pair.client.sessions.last
      pair.client.receiveEnd()
      #expect(pair.client.failure?.kind == .truncated)
    }
    let pair = try contexts.pair(session: session)
    pair.run()
    #expect(pair.client.engine.parameters.isResumed)
  }

  @Test func aServerThatDoesNotKnowTheSessionShakesHandsInFull() throws {
    let contexts = try TestContexts()
    let session = try contexts.establishedPair().client.sessions.last
    let stranger = try TLSServerContext()
    let pair = try EnginePair(
      client: contexts.client, server: stranger, credentials: contexts.leaf.credentials, session: session)
    pair.run()
    #expect(pair.isEstablished)
    #expect(!pair.client.engine.parameters.isResumed)
  }

  @Test func atMostFourSessionsWait() throws {
    let contexts = try TestContexts()
    let pair = try contexts.pair()
    pair.run()
    let handle = try #require(pair.client.sessions.last).handle
    for _ in 0..<10 { pair.client.engine.sessionDidCome(handle) }
    var count = 0
    while pair.client.engine.takeSession() != nil { count += 1 }
    #expect(count == 4)
  }
}
