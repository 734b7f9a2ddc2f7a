import FoundationEssentials
import TapelineBase
import TapelineCore
import TapelineTestSupport
import Testing

/// The library's WebSocket client and servers that others have written: each sends every message back.
@Suite("WebSocket dialogues with other servers")
struct WebSocketDialogueTests {
  /// Two hundred dialogues are the same on both sides.
  private func converse(_ session: Session, _ url: String, closes: Bool = true) async throws {
    var generator = SeededGenerator(seed: 57)
    for number in 0..<200 {
      let messages = (0..<Int.random(in: 1...8, using: &generator)).map { _ in Self.message(&generator) }
      let configuration = WebSocketRequest.Configuration(maximumMessageSize: 1 << 22, allowsCompression: number % 3 != 0)
      let socket = session.webSocketRequest(url, configuration: configuration)
      var echoes: [WebSocketRequest.Message] = []
      var completion: WebSocketRequest.Completion?
      let sending = Task { for message in messages { try await socket.send(message) } }
      for await event in socket.streamingMessageEvents() {
        switch event.kind {
        case .receivedMessage(let message):
          echoes.append(message)
          if echoes.count == messages.count { socket.close() }
        case .completed(let last): completion = last
        case .connected, .decoderFailed, .disconnected: break
        }
      }
      try await sending.value
      #expect(echoes == messages, "dialogue \(number)")
      #expect(completion?.error == nil, "dialogue \(number)")
    }
  }

  private static func message(_ generator: inout SeededGenerator) -> WebSocketRequest.Message {
    let isLong = Int.random(in: 0..<40, using: &generator) == 0
    let size = isLong ? 200_000 : [0, 1, 125, 126, 1_000, 8_000, 65_535, 65_536].randomElement(using: &generator) ?? 0
    let isText = Bool.random(using: &generator)
    guard isText else { return .data(Data(patternedBytes(size, seed: generator.next()))) }
    let letters = ["a", "b", "ż", "語", "🎞"]
    let piece = (0..<64).map { _ in letters.randomElement(using: &generator) ?? "" }
    return .string(String(repeating: piece.joined(), count: size / 256) + piece.prefix(size / 4 % 64).joined())
  }

  private func port(_ server: TestProcess) throws -> Int {
    let line = try server.waitForOutputLine(containing: "port ")
    return try #require(Int(line.dropFirst("port ".count)))
  }

  private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
    var configuration = SessionConfiguration.default
    configuration.responseTimeout = 600
    change(&configuration)
    return Session(configuration: configuration)
  }

  @Test func websockets() async throws {
    let server = try WebSocketPeers.startEchoServer(identity: nil)
    try await converse(session(), "ws://127.0.0.1:\(server.port)/")
  }

  @Test func aiohttp() async throws {
    let server = try TestProcess(
      pythonInterpreter(),
      [
        "-u", "-c",
        """
        import asyncio
        from aiohttp import web, WSMsgType

        async def echo(request):
            socket = web.WebSocketResponse(max_msg_size=0)
            await socket.prepare(request)
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    await socket.send_str(message.data)
                elif message.type == WSMsgType.BINARY:
                    await socket.send_bytes(message.data)
            return socket

        async def main():
            app = web.Application()
            app.add_routes([web.get('/', echo)])
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, '127.0.0.1', 0)
            await site.start()
            print('port', site._server.sockets[0].getsockname()[1])
            await asyncio.Event().wait()

        asyncio.run(main())
        """,
      ])
    try await converse(session(), "http://127.0.0.1:\(try port(server))/")
  }

  @Test("hypercorn, over HTTP/1.1 and, where a connection stands, over HTTP/2", arguments: [false, true])
  func hypercorn(overHTTP2: Bool) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      async def app(scope, receive, send):
          if scope['type'] == 'http':
              await send({'type': 'http.response.start', 'status': 200, 'headers': []})
              return await send({'type': 'http.response.body', 'body': b'hello'})
          if scope['type'] != 'websocket':
              return
          await receive()
          await send({'type': 'websocket.accept'})
          while True:
              event = await receive()
              if event['type'] == 'websocket.disconnect':
                  return
              await send({'type': 'websocket.send', 'text': event.get('text'), 'bytes': event.get('bytes')})
      """, to: "app.py")
    let authority = try TestAuthority()
    let identity = try authority.issue()
    let server = try TestProcess(
      pythonInterpreter(),
      [
        "-m", "hypercorn", "--bind", "127.0.0.1:0", "--certfile", identity.certificate, "--keyfile", identity.key,
        "--websocket-ping-interval", "600", "--keep-alive", "600", "\(directory.path)/app:app",
      ])
    let line = try server.waitForErrorLine(containing: "Running on https://127.0.0.1:", seconds: 60)
    let port = try #require(Int(line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""))
    let roots = try Certificate.certificates(contentsOfFile: authority.certificate)
    let session = session { $0.tls.trustRoots = .only(roots) }
    if overHTTP2 { _ = await session.request("https://localhost:\(port)/").serializingString().response }
    let socket = session.webSocketRequest("wss://localhost:\(port)/")
    for await event in socket.streamingMessageEvents() {
      if case .connected = event.kind { socket.close() }
      guard case .completed(let completion) = event.kind else { continue }
      #expect(completion.metrics?.transactions.last?.networkProtocolName == (overHTTP2 ? "h2" : "http/1.1"))
    }
    try await converse(session, "wss://localhost:\(port)/")
  }
}
