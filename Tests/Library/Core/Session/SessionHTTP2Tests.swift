import FoundationEssentials
import TapelineCore
import TapelineTLS
import TapelineHTTP2
import TapelineTestSupport
import Testing

/// A session and a server that speaks HTTP/2, through the public face.
@Suite("A session and HTTP/2")
struct SessionHTTP2Tests {
  private let chain: IssuedChain

  init() throws {
    chain = try IssuedChain.shared.get()
  }

  private func session(allowsHTTP2: Bool = true) -> Session {
    var configuration = SessionConfiguration.patient
    configuration.tls.trustRoots = .only([chain.root.certificate])
    configuration.allowsHTTP2 = allowsHTTP2
    return Session(configuration: configuration)
  }

  private func origin(script: @escaping @Sendable (HTTP2Peer, Int) throws -> Void) throws -> ScriptedOrigin {
    let context = try TLSServerContext(applicationProtocols: [.http2, .http11])
    return try HTTP2Origin.start(
      HTTP2Origin.TLS(context: context, credentials: chain.leaf.credentials(sending: [chain.middle])), script: script)
  }

  @Test("Requests share one connection, and metrics say h2")
  func sharesAConnection() async throws {
    let origin = try origin { peer, _ in
      for _ in 0..<10 {
        let stream = try peer.nextRequest()
        try peer.respond(stream, body: String(decoding: peer.requests[stream]?.path ?? [], as: UTF8.self))
      }
      try peer.waitForEnd()
    }
    let session = session()
    // All at once: between two of them the connection might idle for longer than it may, on a busy machine.
    let responses = await withTaskGroup { group in
      for number in 0..<10 {
        group.addTask {
          (number, await session.request("https://localhost:\(origin.port)/\(number)").serializingString().response)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var reused = 0
    for (number, response) in responses {
      #expect(response.value == "/\(number)")
      let transaction = try #require(response.metrics?.transactions.last)
      #expect(transaction.networkProtocolName == "h2")
      if transaction.isReusedConnection { reused += 1 }
    }
    #expect(reused == 9)
    #expect(origin.connections.count == 1)
  }

  @Test("An upload arrives with its length")
  func uploads() async throws {
    let origin = try origin { peer, _ in
      let stream = try peer.nextRequest()
      #expect(peer.requests[stream]?.contentLength == 300_000)
      try peer.respond(stream, 201, body: "\(try peer.receiveBody(of: stream).count)")
      try peer.waitForEnd()
    }
    let session = session()
    let body = Data(repeating: 7, count: 300_000)
    let response = await session.upload(body, to: "https://localhost:\(origin.port)/").serializingString().response
    #expect(response.response?.statusCode == 201)
    #expect(response.value == "300000")
  }

  @Test("A session that does not allow HTTP/2 does not offer it")
  func turnedOff() async throws {
    let origin = try origin { peer, _ in
      #expect(peer.applicationProtocol == .http11)
      _ = try peer.receiveHead()
      try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold")
      try peer.waitForEnd()
    }
    let session = session(allowsHTTP2: false)
    let response = await session.request("https://localhost:\(origin.port)/").serializingString().response
    #expect(response.value == "old")
    #expect(response.metrics?.transactions.last?.networkProtocolName == "http/1.1")
  }
}
