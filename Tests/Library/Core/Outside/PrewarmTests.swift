import FoundationEssentials
import TapelineCore
import TapelineHTTP2
import TapelineTLS
import TapelineTestSupport
import Testing

/// Connections that are opened ahead of their requests.
@Suite struct PrewarmTests {
  @Test("The next request takes the connection, which was opened before it")
  func clear() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond(body: "1"), .expectRequest, .respond(body: "2"), .expectEnd])
    let session = Session(configuration: .patient)
    try await session.prewarm(origin.url())
    try await session.prewarm(origin.url("/other"))
    _ = try origin.waitForConnections(1, seconds: 600)
    for (number, path) in ["/1", "/2"].enumerated() {
      let response = await session.request(origin.url(path)).serializingString().response
      #expect(response.value == "\(number + 1)")
      let transaction = try #require(response.metrics?.transactions.first)
      #expect(transaction.isReusedConnection == (number == 1))
      guard number == 0 else { continue }
      let connected = try #require(transaction.connectEnd)
      #expect(connected < (try #require(transaction.requestStart)))
      // Before the request began.
      #expect(connected.offset < .zero)
    }
    #expect(origin.connections.count == 1)
  }

  @Test("With TLS, and with HTTP/2 if the server chooses it", arguments: [true, false])
  func secure(speaksHTTP2: Bool) async throws {
    let chain = try IssuedChain.shared.get()
    let context = try TLSServerContext(applicationProtocols: speaksHTTP2 ? [.http2, .http11] : [.http11])
    let origin = try HTTP2Origin.start(
      HTTP2Origin.TLS(context: context, credentials: chain.leaf.credentials(sending: [chain.middle])), patience: 600,
      script: { peer, _ in
        if speaksHTTP2 {
          for _ in 0..<2 { try peer.respond(try peer.nextRequest(), body: "ok") }
          try peer.waitForEnd()
        } else {
          for _ in 0..<2 {
            _ = try peer.receiveHead()
            try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          }
        }
      })
    var configuration = SessionConfiguration.patient
    configuration.tls.trustRoots = .only([chain.root.certificate])
    let session = Session(configuration: configuration)
    try await session.prewarm("https://localhost:\(origin.port)/")
    for number in 0..<2 {
      let response = await session.request("https://localhost:\(origin.port)/").serializingString().response
      #expect(response.value == "ok")
      let transaction = try #require(response.metrics?.transactions.first)
      #expect(transaction.networkProtocolName == (speaksHTTP2 ? "h2" : "http/1.1"))
      if number == 0 { #expect(try #require(transaction.secureConnectionEnd).offset < .zero) }
    }
    #expect(origin.connections.count == 1)
  }

  @Test("What cannot be opened says why")
  func failures() async throws {
    let port = try ScriptedOrigin(patience: 600, []).port
    let session = Session(configuration: .patient)
    let refused = await #expect(throws: TapelineError.self) { try await session.prewarm("http://127.0.0.1:\(port)/") }
    #expect(refused?.urlErrorCode == .cannotConnectToHost)
    await #expect(throws: TapelineError.self) { try await session.prewarm("ftp://127.0.0.1/") }
  }

  @Test("A server that is not trusted is not kept")
  func untrusted() async throws {
    let chain = try IssuedChain.shared.get()
    let context = try TLSServerContext(applicationProtocols: [.http11])
    let origin = try HTTP2Origin.start(
      HTTP2Origin.TLS(context: context, credentials: chain.leaf.credentials(sending: [chain.middle])), patience: 600,
      script: { peer, _ in _ = try peer.receiveHead() })
    let session = Session(configuration: .patient)
    let error = await #expect(throws: TapelineError.self) {
      try await session.prewarm("https://localhost:\(origin.port)/")
    }
    #expect(error?.urlErrorCode == .serverCertificateUntrusted)
  }

  @Test("A connection that the server has ended meanwhile is replaced")
  func ended() async throws {
    let origin = try ScriptedOrigin(patience: 600) { number in
      number == 0 ? [.close] : [.expectRequest, .respond(body: "ok"), .expectEnd]
    }
    let session = Session(configuration: .patient)
    try await session.prewarm(origin.url())
    _ = try origin.waitForFinished(1, seconds: 600)
    let response = await session.request(origin.url()).serializingString().response
    #expect(response.value == "ok")
  }
}
