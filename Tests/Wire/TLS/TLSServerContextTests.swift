import Testing

@testable import TapelineTLS

/// What a server agrees to.
struct TLSServerContextTests {
  @Test func itsPreferenceDecides() throws {
    let contexts = try TestContexts(clientProtocols: [.http11, .http2], serverProtocols: [.http2, .http11])
    #expect(try contexts.establishedPair().client.engine.parameters.applicationProtocol == .http2)
  }

  @Test("RFC 7301 3.2: without a common protocol the server refuses the handshake")
  func noProtocolInCommonEndsTheHandshake() throws {
    let contexts = try TestContexts(clientProtocols: [.http2])
    let pair = try contexts.establishedPair()
    #expect(pair.server.failure?.kind == .noApplicationProtocol)
    #expect(pair.server.failure?.alertSent == .noApplicationProtocol)
    #expect(pair.client.failure?.kind == .peerAlert(.noApplicationProtocol))
  }

  @Test func aClientNeedNotNameAny() throws {
    let pair = try TestContexts(clientProtocols: []).establishedPair()
    #expect(pair.isEstablished)
    #expect(pair.server.engine.parameters.applicationProtocol == nil)
  }

  @Test func noVersionInCommonEndsTheHandshake() throws {
    let contexts = try TestContexts(version: .tls13)
    let old = try TLSClientContext(
      trust: contexts.root.trusted(), policy: TLSPolicy(minimumVersion: .tls12, maximumVersion: .tls12))
    let pair = try EnginePair(client: old, server: contexts.server, credentials: contexts.leaf.credentials)
    pair.run()
    #expect(pair.server.failure?.kind == .protocolVersion)
    #expect(pair.client.failure?.kind == .peerAlert(.protocolVersion))
  }

  /// TLS 1.1, as a hello that says so.
  @Test func olderVersionsAreRefused() throws {
    let contexts = try TestContexts()
    let hello = HelloBuilder(legacyVersion: 0x0302, cipherSuites: [0xc013, 0x002f]).records()
    let engine = try TLSEngine(server: contexts.server, credentials: contexts.leaf.credentials)
    let error = #expect(throws: TLSError.self) { try engine.handshake(hello.span) }
    #expect(error?.kind == .protocolVersion)
    #expect(error?.alertSent == .protocolVersion)
  }

  @Test func suitesWithoutForwardSecrecyAreRefused() throws {
    let contexts = try TestContexts()
    let hello = HelloBuilder(legacyVersion: 0x0303, cipherSuites: [0x009c, 0x002f]).records()
    let engine = try TLSEngine(server: contexts.server, credentials: contexts.leaf.credentials)
    let error = #expect(throws: TLSError.self) { try engine.handshake(hello.span) }
    #expect(error?.kind == .noSharedCipher)
  }

  @Test func aKeyThatIsNotTheCertificatesIsRefused() throws {
    let contexts = try TestContexts()
    let mixed = TLSCredentials(leaf: contexts.leaf.handle, key: contexts.root.key)
    let error = #expect(throws: TLSError.self) { try TLSEngine(server: contexts.server, credentials: mixed) }
    #expect(error?.kind == .configuration)
  }

  /// Loops share it, and the client's: a session begun on one is resumed on another. (TLS 1.3 would resume it once.)
  @Test func threadsShareIt() async throws {
    let contexts = try TestContexts(version: .tls12)
    let (client, server, credentials) = (contexts.client, contexts.server, contexts.leaf.credentials)
    let session = try #require(try contexts.establishedPair().client.sessions.last)
    let count = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<25).count { turn in
            let pair = try? EnginePair(
              client: client, server: server, credentials: credentials, session: turn.isMultiple(of: 2) ? session : nil)
            pair?.run()
            return pair?.isEstablished == true && pair?.client.engine.parameters.isResumed == turn.isMultiple(of: 2)
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(count == 200)
  }
}
