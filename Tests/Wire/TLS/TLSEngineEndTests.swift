import Testing

@testable import TapelineTLS

/// The two ends of a connection (RFC 8446 6.1).
struct TLSEngineEndTests {
  @Test(arguments: TLSEngineTests.versions) func closeNotifyEndsOneDirection(_ version: TLSVersion) throws {
    let pair = try TestContexts(version: version).establishedPair()
    pair.client.write(Array("last words".utf8))
    pair.client.shutdownOutput()
    pair.run()
    #expect(pair.server.received == Array("last words".utf8))
    #expect(pair.server.hasEnded)
    pair.server.receiveEnd()
    #expect(pair.server.failure == nil)

    // The other direction goes on until it is ended as well.
    #expect(!pair.client.hasEnded)
    pair.server.write(Array("answer".utf8))
    pair.run()
    #expect(pair.client.received == Array("answer".utf8))
    pair.server.shutdownOutput()
    pair.run()
    #expect(pair.client.hasEnded)
    pair.client.receiveEnd()
    #expect(pair.client.failure == nil)
  }

  @Test func closeNotifyIsSentOnce() throws {
    let pair = try TestContexts().establishedPair()
    pair.client.shutdownOutput()
    #expect(!pair.client.takeOutgoing().isEmpty)
    pair.client.shutdownOutput()
    #expect(pair.client.takeOutgoing().isEmpty)
  }

  @Test func nothingIsSaidBeforeTheHandshakeHasEnded() throws {
    let pair = try TestContexts().pair()
    _ = pair.client.takeOutgoing()
    pair.client.shutdownOutput()
    #expect(pair.client.takeOutgoing().isEmpty)
  }

  @Test(arguments: TLSEngineTests.versions) func anEndWithoutCloseNotifyIsTruncation(_ version: TLSVersion) throws {
    let pair = try TestContexts(version: version).establishedPair()
    pair.server.write(Array("half of".utf8))
    pair.run()
    pair.client.receiveEnd()
    #expect(pair.client.received == Array("half of".utf8))
    #expect(pair.client.failure?.kind == .truncated)
  }

  @Test func anEndInTheHandshakeIsTruncation() throws {
    let pair = try TestContexts().pair()
    pair.client.receiveEnd()
    #expect(pair.client.failure?.kind == .truncated)
    #expect(pair.client.failure?.message == "the peer closed the connection during the handshake")
  }

  @Test func bytesBehindCloseNotifyAreIgnored() throws {
    let pair = try TestContexts().establishedPair()
    pair.client.shutdownOutput()
    var bytes = pair.client.takeOutgoing()
    bytes += [1, 2, 3]
    pair.server.feed(bytes.span)
    pair.server.feed([4, 5, 6].span)
    #expect(pair.server.hasEnded)
    #expect(pair.server.failure == nil)
    #expect(pair.server.received.isEmpty)
  }

  @Test func aConnectionMayBeEndedInsideADelivery() throws {
    let pair = try TestContexts().establishedPair()
    pair.server.onDelivery = { $0.shutdownOutput() }
    pair.client.write([1])
    pair.run()
    #expect(pair.client.hasEnded)
  }
}
