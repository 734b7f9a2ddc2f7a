import Testing

@testable import TapelineTLS

struct TLSEngineTests {
  static let versions: [TLSVersion] = [.tls12, .tls13]

  // MARK: Handshake

  @Test(arguments: versions) func bothEndsAgree(on version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    let pair = try contexts.establishedPair()
    #expect(pair.isEstablished)
    #expect(pair.client.failure == nil)
    #expect(pair.server.failure == nil)
    let client = pair.client.engine.parameters
    let server = pair.server.engine.parameters
    #expect(client.version == version)
    #expect(server.version == version)
    #expect(client.cipher == server.cipher)
    #expect(client.cipher.hasSuffix("AES_128_GCM_SHA256"))
    #expect(client.applicationProtocol == .http11)
    #expect(server.applicationProtocol == .http11)
    #expect(server.serverName == "example.test")
    #expect(client.verification == .verified)
    #expect(server.verification == .notAsked)
    #expect(client.certificate == contexts.leaf.summary)
    #expect(server.certificate == nil)
    #expect(!client.isResumed)
    #expect(pair.server.engine.hasSentCertificate)
  }

  @Test func theNewestVersionIsPreferred() throws {
    let pair = try TestContexts().establishedPair()
    #expect(pair.client.engine.parameters.version == .tls13)
  }

  /// Every place at which a direction's bytes may be torn apart.
  @Test(arguments: versions) func theHandshakeEndsWhereverItIsCut(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    let whole = try contexts.establishedPair()
    for isToServer in [true, false] {
      for place in 1..<(isToServer ? whole.sentToServer : whole.sentToClient) {
        let pair = try contexts.pair()
        pair.run(cuttingAt: place, toServer: isToServer)
        #expect(pair.isEstablished, "cut at \(place), toServer: \(isToServer)")
      }
    }
  }

  @Test(arguments: versions, [1, 2, 3, 5, 7, 64]) func theHandshakeEndsInSmallPieces(_ version: TLSVersion, size: Int) throws {
    let pair = try TestContexts(version: version).pair()
    pair.run(inPiecesOf: size)
    #expect(pair.isEstablished)
    pair.client.write(Array("hello".utf8))
    pair.run(inPiecesOf: size)
    #expect(pair.server.received == Array("hello".utf8))
  }

  @Test func aServersFirstBytesBehindTheHandshakeAreForReceive() throws {
    let contexts = try TestContexts(version: .tls12)
    let pair = try contexts.pair()
    let buffer = PlaintextBuffer()
    // TLS 1.2: the server has the last word, so data may follow it in the same bytes.
    pair.server.feed(pair.client.takeOutgoing().span)
    pair.client.feed(pair.server.takeOutgoing().span)
    pair.server.feed(pair.client.takeOutgoing().span)
    #expect(pair.server.engine.isEstablished)
    pair.server.write(Array("early".utf8))
    let bytes = pair.server.takeOutgoing()
    let used = try pair.client.engine.handshake(bytes.span)
    #expect(used < bytes.count)
    #expect(pair.client.engine.isEstablished)
    var received: [UInt8] = []
    let input = try pair.client.engine.receive(bytes.span.extracting(droppingFirst: used), using: buffer) { plaintext in
      for index in plaintext.indices { received.append(plaintext[index]) }
    }
    #expect(input == .open)
    #expect(received == Array("early".utf8))
  }

  @Test func anAddressIsNotAskedFor() throws {
    for address in ["127.0.0.1", "::1"] {
      let pair = try TestContexts().pair(serverName: address)
      pair.run()
      #expect(pair.client.engine.parameters.verification == .verified)
      #expect(pair.client.engine.parameters.serverName == nil)
      #expect(pair.server.engine.parameters.serverName == nil)
    }
  }

  @Test(arguments: ["example.test.", "EXAMPLE.test"]) func aNameIsTheSameInAnyForm(_ name: String) throws {
    let pair = try TestContexts().pair(serverName: name)
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.server.engine.parameters.serverName?.hasSuffix(".") == false)
  }

  @Test(arguments: ["", ".", String(repeating: "a", count: 256)]) func whatIsNoNameIsRefused(_ name: String) throws {
    let contexts = try TestContexts()
    let error = #expect(throws: TLSError.self) { try TLSEngine(client: contexts.client, serverName: name) }
    #expect(error?.kind == .configuration)
  }

  // MARK: Data

  @Test(arguments: versions) func bytesPassBothWays(_ version: TLSVersion) throws {
    let pair = try TestContexts(version: version).establishedPair()
    pair.client.write(Array("ping".utf8))
    pair.server.write(Array("pong".utf8))
    pair.run()
    #expect(pair.server.received == Array("ping".utf8))
    #expect(pair.client.received == Array("pong".utf8))
  }

  @Test func dataArrivesWhereverItIsCut() throws {
    let pair = try TestContexts().establishedPair()
    let text = Array("a small message".utf8)
    var place = 1
    var count = 2
    while place < count {
      pair.server.write(text)
      let bytes = pair.server.takeOutgoing()
      count = bytes.count
      pair.client.feed(bytes.span.extracting(first: place))
      #expect(pair.client.received.isEmpty)
      pair.client.feed(bytes.span.extracting(droppingFirst: place))
      #expect(pair.client.takeReceived() == text, "cut at \(place)")
      place += 1
    }
  }

  @Test(arguments: versions) func muchDataPassesBothWays(_ version: TLSVersion) throws {
    let pair = try TestContexts(version: version).establishedPair()
    let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    pair.client.write(bytes)
    pair.server.write(bytes)
    pair.run(inPiecesOf: 65_536)
    #expect(pair.server.received == bytes)
    #expect(pair.client.received == bytes)
    // Whole reads are delivered at once, not record by record.
    #expect(pair.server.deliveries <= 2 * bytes.count / PlaintextBuffer.size + 2)
  }

  @Test func moreThanTheBufferHoldsIsDeliveredInParts() throws {
    let pair = try TestContexts().establishedPair()
    let bytes = [UInt8](repeating: 7, count: 3 * PlaintextBuffer.size)
    pair.client.write(bytes)
    pair.run()
    #expect(pair.server.deliveries == 3)
    #expect(pair.server.received == bytes)
  }

  @Test func anAnswerMayBeWrittenInsideADelivery() throws {
    let pair = try TestContexts().establishedPair()
    pair.server.onDelivery = { $0.write(Array("answer".utf8)) }
    pair.client.write(Array("question".utf8))
    pair.run()
    #expect(pair.client.received == Array("answer".utf8))
  }

  @Test func whatWaitsLeavesBeforeWhatIsWritten() throws {
    let contexts = try TestContexts(version: .tls13)
    let pair = try contexts.pair()
    pair.server.feed(pair.client.takeOutgoing().span)
    pair.client.feed(pair.server.takeOutgoing().span)
    pair.server.feed(pair.client.takeOutgoing().span)
    // The session tickets wait.
    #expect(pair.server.engine.hasCiphertext)
    var output: [UInt8] = [0xff]
    try pair.server.engine.write(Array("data".utf8).span, into: &output)
    #expect(!pair.server.engine.hasCiphertext)
    #expect(output.first == 0xff)
    pair.client.feed(output.span.extracting(droppingFirst: 1))
    #expect(pair.client.received == Array("data".utf8))
    #expect(!pair.client.sessions.isEmpty)
  }

  @Test func writingNothingSendsNothing() throws {
    let pair = try TestContexts().establishedPair()
    pair.client.write([])
    #expect(pair.client.takeOutgoing().isEmpty)
  }

  // MARK: Damage

  @Test(arguments: versions) func changedBytesAreNotDelivered(_ version: TLSVersion) throws {
    let pair = try TestContexts(version: version).establishedPair()
    pair.client.write(Array("secret".utf8))
    var bytes = pair.client.takeOutgoing()
    bytes[bytes.count - 1] ^= 1
    pair.server.feed(bytes.span)
    #expect(pair.server.received.isEmpty)
    let failure = try #require(pair.server.failure)
    #expect(failure.kind == .protocolViolation)
    #expect(failure.alertSent == .badRecordMAC)
    // The alert is for the peer, who reads it as ours.
    pair.run()
    #expect(pair.client.failure?.kind == .peerAlert(.badRecordMAC))
  }

  @Test func afterAFailureEveryCallFailsAlike() throws {
    let pair = try TestContexts().establishedPair()
    let garbage = [UInt8](repeating: 0x16, count: 64)
    pair.server.feed(garbage.span)
    let failure = try #require(pair.server.failure)
    let engine = pair.server.engine
    var output: [UInt8] = []
    engine.takeCiphertext(into: &output)
    let alert = output
    #expect(throws: failure) { try engine.write([1].span, into: &output) }
    #expect(throws: failure) { try engine.receive([1].span, using: PlaintextBuffer()) { _ in } }
    #expect(throws: failure) { try engine.receiveEnd() }
    engine.shutdownOutput(into: &output)
    #expect(output == alert)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", TLSError.Kind.notTLS), ("CONNECT example.test:443 HTTP/1.1\r\n\r\n", .notTLS),
    ("SSH-2.0-OpenSSH_9.2\r\n", .notTLS), ("\u{16}\u{3}\u{1}\u{0}\u{4}nope", .protocolViolation),
  ])
  func aServerSaysWhatIsNoTLS(_ text: String, kind: TLSError.Kind) throws {
    let contexts = try TestContexts()
    let engine = try TLSEngine(server: contexts.server, credentials: contexts.leaf.credentials)
    let error = #expect(throws: TLSError.self) { try engine.handshake(Array(text.utf8).span) }
    #expect(error?.kind == kind)
  }

  @Test func aClientSaysWhatIsNoTLS() throws {
    let contexts = try TestContexts()
    let engine = try TLSEngine(client: contexts.client, serverName: "example.test")
    try engine.start()
    let error = #expect(throws: TLSError.self) {
      try engine.handshake(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).span)
    }
    #expect(error?.kind == .notTLS)
  }

  /// Whatever comes, there is an error, or patience, or an agreement.
  @Test(arguments: versions) func mutatedHandshakesNeverCrash(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    var random = SystemRandomNumberGenerator()
    func mutate(_ bytes: [UInt8]) -> [UInt8] {
      var mutant = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        mutant[Int.random(in: mutant.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      return mutant
    }
    for turn in 0..<1_000 {
      let pair = try contexts.pair()
      let isAnswer = turn.isMultiple(of: 2)
      let hello = pair.client.takeOutgoing()
      pair.server.feed((isAnswer ? hello : mutate(hello)).span)
      if isAnswer { pair.client.feed(mutate(pair.server.takeOutgoing()).span) }
      pair.run()
      // Some bytes do not matter, as the version in the first record's header; no change makes the two ends disagree.
      guard pair.isEstablished else { continue }
      #expect(pair.client.engine.parameters.version == pair.server.engine.parameters.version)
      #expect(pair.client.engine.parameters.cipher == pair.server.engine.parameters.cipher)
    }
  }

  // MARK: Lifetime

  @Test func nothingHoldsAnEngineThatIsForgotten() throws {
    let contexts = try TestContexts()
    weak var client: TLSEngine?
    weak var server: TLSEngine?
    do {
      let pair = try contexts.establishedPair()
      client = pair.client.engine
      server = pair.server.engine
    }
    #expect(client == nil)
    #expect(server == nil)
  }
}
