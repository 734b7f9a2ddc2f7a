@testable import TapelineTLS

/// A client and a server back to back.
final class EnginePair {
  let client: EngineEnd
  let server: EngineEnd
  /// All bytes that have passed.
  private(set) var sentToServer = 0
  private(set) var sentToClient = 0

  init(
    client: TLSClientContext, server: TLSServerContext, serverName: String = "example.test", credentials: TLSCredentials,
    session: TLSSession? = nil, clientCredentials: TLSCredentials? = nil, evaluator: PeerEvaluator? = nil, lineage: UInt64 = 0,
    holdsProtocol: Bool = false, holdsHello: Bool = false
  ) throws {
    let buffer = PlaintextBuffer()
    let engine = try TLSEngine(
      client: client, serverName: serverName, session: session, credentials: clientCredentials, evaluator: evaluator)
    self.client = EngineEnd(engine, buffer: buffer)
    self.server = EngineEnd(
      try TLSEngine(
        server: server, credentials: credentials, lineage: lineage, holdsProtocol: holdsProtocol, holdsHello: holdsHello),
      buffer: buffer)
    self.client.start()
  }

  /// Moves bytes in pieces of at most `size`, as long as there are any.
  func run(inPiecesOf size: Int = .max) {
    run { _, rest in min(size, rest) }
  }

  /// Moves bytes, cutting the stream of one direction once, at `place`.
  func run(cuttingAt place: Int, toServer: Bool) {
    run { isToServer, rest in
      let sent = isToServer ? self.sentToServer : self.sentToClient
      let isCutHere = isToServer == toServer && (sent + 1..<sent + rest).contains(place)
      return isCutHere ? place - sent : rest
    }
  }

  private func run(pieceSize: (_ isToServer: Bool, _ rest: Int) -> Int) {
    while true {
      let toServer = client.takeOutgoing()
      let toClient = server.takeOutgoing()
      if toServer.isEmpty, toClient.isEmpty { return }
      move(toServer, to: server) { rest in
        let count = pieceSize(true, rest)
        sentToServer += count
        return count
      }
      move(toClient, to: client) { rest in
        let count = pieceSize(false, rest)
        sentToClient += count
        return count
      }
    }
  }

  private func move(_ bytes: [UInt8], to end: EngineEnd, pieceSize: (Int) -> Int) {
    var position = 0
    while position < bytes.count, end.failure == nil {
      let count = pieceSize(bytes.count - position)
      end.feed(bytes.span.extracting(position..<position + count))
      position += count
    }
  }

  var isEstablished: Bool { client.engine.isEstablished && server.engine.isEstablished }
}
