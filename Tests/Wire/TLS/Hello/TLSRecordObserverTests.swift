import Testing

@testable import TapelineTLS

struct TLSRecordObserverTests {
  /// What two engines say to each other, in order.
  private func conversation(_ contexts: TestContexts, credentials: TLSCredentials? = nil) throws
    -> [(bytes: [UInt8], direction: TLSRecordObserver.Direction)]
  {
    let pair = try contexts.pair(credentials: credentials)
    var said: [(bytes: [UInt8], direction: TLSRecordObserver.Direction)] = []
    while true {
      let toServer = pair.client.takeOutgoing()
      if !toServer.isEmpty {
        said.append((toServer, .toServer))
        pair.server.feed(toServer.span)
      }
      let toClient = pair.server.takeOutgoing()
      if !toClient.isEmpty {
        said.append((toClient, .toClient))
        if pair.client.failure == nil { pair.client.feed(toClient.span) }
      }
      if toServer.isEmpty, toClient.isEmpty { return said }
    }
  }

  @Test(arguments: TLSEngineTests.versions, [Int.max, 1, 3]) func itLearnsWhatTheHellosSay(_ version: TLSVersion, size: Int)
    throws
  {
    let contexts = try TestContexts(version: version)
    var observer = TLSRecordObserver()
    for (bytes, direction) in try conversation(contexts) {
      var position = 0
      while position < bytes.count {
        let end = min(bytes.count, size == .max ? bytes.count : position + size)
        observer.observe(bytes.span.extracting(position..<end), direction)
        position = end
      }
    }
    #expect(observer.isDone)
    #expect(observer.clientHello?.serverName == "example.test")
    #expect(observer.clientHello?.applicationProtocols == [.http11])
    #expect(observer.serverHello?.version == version)
    #expect(observer.serverHello?.applicationProtocol == (version == .tls12 ? .http11 : nil))
    #expect(observer.alert == nil)
  }

  @Test func behindAModernServerHelloThereIsNothingToSee() throws {
    let said = try conversation(TestContexts(version: .tls13))
    var observer = TLSRecordObserver()
    let (question, answer) = (said[0].bytes, said[1].bytes)
    observer.observe(question.span, .toServer)
    #expect(!observer.isDone)
    observer.observe(answer.span, .toClient)
    #expect(observer.isDone)
  }

  /// Found by fuzzing: what came in one piece with the malformed hello was looked at, what came after it was not.
  @Test(arguments: [1, 5, 11, .max]) func behindAMalformedHelloNothingIsLookedAt(size: Int) {
    let hello: [UInt8] = [22, 3, 1, 0, 6, 1, 0, 0, 2, 0, 0]
    let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
    for direction in [TLSRecordObserver.Direction.toServer, .toClient] {
      let bytes = direction == .toServer ? hello + alert : [22, 3, 1, 0, 6, 2, 0, 0, 2, 0, 0] + alert
      var observer = TLSRecordObserver()
      var position = 0
      while position < bytes.count {
        let end = size == .max ? bytes.count : min(position + size, bytes.count)
        observer.observe(bytes.span.extracting(position..<end), direction)
        position = end
      }
      #expect(observer.isDone)
      #expect(observer.clientHello == nil && observer.serverHello == nil && observer.alert == nil)
    }
  }

  /// A client that pins, in TLS 1.2: its refusal is in clear.
  @Test func aRefusalInClearIsSeen() throws {
    let contexts = try TestContexts(version: .tls12)
    let stranger = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test")
    var observer = TLSRecordObserver()
    for (bytes, direction) in try conversation(contexts, credentials: stranger.credentials) {
      observer.observe(bytes.span, direction)
    }
    #expect(observer.alert == TLSRecordObserver.Alert(alert: .unknownCA, direction: .toServer))
    #expect(observer.isDone)
    #expect(observer.serverHello?.version == .tls12)
  }

  @Test func aServersRefusalIsSeen() throws {
    let contexts = try TestContexts(clientProtocols: [.http2])
    var observer = TLSRecordObserver()
    for (bytes, direction) in try conversation(contexts) {
      // Byte by byte: the alert comes apart.
      for index in bytes.indices { observer.observe(bytes.span.extracting(index...index), direction) }
    }
    #expect(observer.alert == TLSRecordObserver.Alert(alert: .noApplicationProtocol, direction: .toClient))
    #expect(observer.serverHello == nil)
  }

  @Test func whatIsNoTLSIsLeftAlone() {
    var observer = TLSRecordObserver()
    observer.observe(Array("SSH-2.0-OpenSSH\r\n".utf8).span, .toServer)
    #expect(observer.isDone)
    #expect(observer.clientHello == nil)

    var other = TLSRecordObserver()
    other.observe(Array("220 smtp.example.test\r\n".utf8).span, .toClient)
    #expect(other.isDone)
  }

  @Test func aMalformedHelloIsLeftAlone() {
    var observer = TLSRecordObserver()
    observer.observe(HelloBuilder(extensions: [(43, [1])]).records().span, .toServer)
    #expect(observer.isDone)
    #expect(observer.clientHello == nil)
  }

  @Test func itsPatienceIsBounded() {
    var observer = TLSRecordObserver()
    observer.observe(HelloBuilder().records().span, .toServer)
    let record = [22, 3, 3] + HelloBuilder.vector([UInt8](repeating: 11, count: 16_384))
    var count = 0
    while !observer.isDone, count < 100 {
      observer.observe(record.span, .toServer)
      count += 1
    }
    #expect(count < 20)
  }

  @Test func mutatedConversationsNeverCrash() throws {
    let said = try conversation(TestContexts(version: .tls12))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<3_000 {
      var observer = TLSRecordObserver()
      for (bytes, direction) in said {
        var mutant = bytes
        mutant[Int.random(in: mutant.indices, using: &random)] = .random(in: 0...255, using: &random)
        observer.observe(mutant.span, direction)
      }
      #expect(observer.isDone || observer.alert == nil)
    }
  }
}
