import Dispatch
import FoundationEssentials
import Synchronization
import TapelineCoding
import TapelineHTTP
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite("A WebSocket connection")
struct WebSocketRequestTests {
  private let session = Session(configuration: .patient)

  private func url(_ origin: ScriptedOrigin) -> String { "ws://\(origin.authority)/chat" }

  /// The events of a connection, and its last one.
  private func events(
    _ socket: WebSocketRequest
  ) async -> (kinds: [WebSocketRequest.Event<WebSocketRequest.Message, Never>.Kind], completion: WebSocketRequest.Completion?) {
    var kinds: [WebSocketRequest.Event<WebSocketRequest.Message, Never>.Kind] = []
    var completion: WebSocketRequest.Completion?
    for await event in socket.streamingMessageEvents() {
      if case .completed(let last) = event.kind { completion = last } else { kinds.append(event.kind) }
    }
    return (kinds, completion)
  }

  private func failure(_ completion: WebSocketRequest.Completion?) -> WebSocketFailure? {
    completion?.error?.underlyingError as? WebSocketFailure
  }

  @Test("It is opened, messages go both ways, and the server closes")
  func dialogue() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        WebSocketServer.accept(["Sec-WebSocket-Protocol: b"]), WebSocketServer.text("hello"), .expect(bytes: 6 + 5),
        WebSocketServer.close(4_000, "enough"), .expect(bytes: 6 + 2), .expectEnd,
      ])
    let socket = session.webSocketRequest(url(origin), configuration: .protocols(["a", "b"]))
    socket.send("world") { _ in }
    let (kinds, completion) = await events(socket)
    guard case .connected(protocol: "b") = kinds.first else { return #expect(Bool(false)) }
    #expect(kinds.count == 3)
    guard case .receivedMessage(.string("hello")) = kinds[1] else { return #expect(Bool(false)) }
    guard case .disconnected(let code, let reason) = kinds[2] else { return #expect(Bool(false)) }
    #expect(code.rawValue == 4_000)
    #expect(reason == Data("enough".utf8))
    #expect(completion?.error == nil)
    #expect(completion?.response?.statusCode == 101)
    let request = try #require(origin.requests.first)
    #expect(request.value(of: "Upgrade") == "websocket")
    #expect(request.value(of: "Connection") == "Upgrade")
    #expect(request.value(of: "Sec-WebSocket-Version") == "13")
    #expect(request.value(of: "Sec-WebSocket-Protocol") == "a, b")
    let frames = try ClientFrames.read(Array(origin.connections[0].received.dropFirst(request.head.count)))
    #expect(frames.map(\.opcode) == [.text, .close])
    #expect(frames.map(\.payload) == [Array("world".utf8), [0x0F, 0xA0]])
    #expect(frames.allSatisfy { $0.frame.mask != nil })
    #expect(frames[0].frame.mask != frames[1].frame.mask)
  }

  @Test("The client closes behind what it has sent, and waits for the server's close")
  func closing() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [WebSocketServer.accept(), .expect(bytes: 6 + 3 + 6 + 2), WebSocketServer.close(1_000), .expectEnd])
    let socket = session.webSocketRequest(url(origin))
    socket.send("end") { _ in }
    let seen = Mutex<[String]>([])
    await withCheckedContinuation { done in
      socket.streamMessageEvents { event in
        switch event.kind {
        case .connected: event.socket?.close(sending: .normalClosure)
        case .disconnected(let code, _): seen.withLock { $0.append("\(code.rawValue)") }
        case .completed(let completion):
          seen.withLock { $0.append(completion.error.map { "\($0)" } ?? "ended") }
          done.resume()
        case .receivedMessage, .decoderFailed: break
        }
      }
    }
    #expect(seen.withLock { $0 } == ["1000", "ended"])
    await #expect(throws: WebSocketRequest.SendError.self) { try await socket.send(.string("late")) }
  }

  @Test(
    "A server that does not switch, or breaks the handshake, is refused",
    arguments: [
      ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", true),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
      ("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: no\r\n\r\n", false),
      ("HTTP/1.1 101 Switching\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n", false),
    ])
  func refused(answer: String, isRefusal: Bool) async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .send(answer), .expectEnd])
    let (kinds, completion) = await events(session.webSocketRequest(url(origin)))
    #expect(kinds.isEmpty)
    switch failure(completion) {
    case .refused(let status): #expect(isRefusal && [200, 403].contains(status))
    case .invalidHandshake: #expect(!isRefusal)
    case .protocolViolation, .messageTooLong, .closedWithoutNotice, .pingTimedOut, nil: #expect(Bool(false))
    }
  }

  @Test(
    "Extensions and protocols that were not offered are refused",
    arguments: [
      "Sec-WebSocket-Protocol: x", "Sec-WebSocket-Extensions: x", "Sec-WebSocket-Extensions: permessage-deflate; x",
    ])
  func unoffered(field: String) async throws {
    let origin = try ScriptedOrigin(patience: 600, [WebSocketServer.accept([field]), .expectEnd])
    let (_, completion) = await events(session.webSocketRequest(url(origin)))
    guard case .invalidHandshake = failure(completion) else { return #expect(Bool(false)) }
  }

  @Test(
    "A hostile server's connection is ended, with the code that says why",
    arguments: [
      (WebSocketServer.frame(.text, [0xFF]), 1_007), (WebSocketServer.frame(.continuation, [1]), 1_002),
      ([0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0], 1_009), ([0xF3, 0], 1_002), ([0x81, 0x81, 1, 2, 3, 4, 5], 1_002),
      (WebSocketServer.frame(.binary, [0xFF, 0xFF, 0xFF], isCompressed: true), 1_002),
      (WebSocketServer.frame(.close, [0x03, 0xED]), 1_002),
    ])
  func hostile(bytes: [UInt8], code: Int) async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [WebSocketServer.accept(["Sec-WebSocket-Extensions: permessage-deflate"]), .send(bytes), .expect(bytes: 6 + 2), .close])
    let (_, completion) = await events(session.webSocketRequest(url(origin)))
    switch failure(completion) {
    case .protocolViolation: #expect(code != 1_009)
    case .messageTooLong: #expect(code == 1_009)
    case .refused, .invalidHandshake, .closedWithoutNotice, .pingTimedOut, nil: #expect(Bool(false))
    }
    let request = try #require(origin.requests.first)
    let frames = try ClientFrames.read(Array(origin.connections[0].received.dropFirst(request.head.count)))
    #expect(frames.map(\.opcode) == [.close])
    #expect(frames[0].payload == [UInt8(code >> 8), UInt8(code & 0xFF)])
  }

  @Test("A message that inflates beyond the limit ends the connection")
  func bomb() async throws {
    let deflater = try #require(MessageDeflater(windowBits: 15, forgets: false))
    let bomb = deflater.deflate([UInt8](repeating: 0, count: 1 << 20).span)
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        WebSocketServer.accept(["Sec-WebSocket-Extensions: permessage-deflate"]),
        .send(WebSocketServer.frame(.binary, bomb, isCompressed: true)), .expect(bytes: 6 + 2), .close,
      ])
    let (_, completion) = await events(
      session.webSocketRequest(url(origin), configuration: .maximumMessageSize(100_000)))
    #expect(failure(completion) == .messageTooLong)
  }

  @Test("An end without a close is a failure")
  func dropped() async throws {
    let origin = try ScriptedOrigin(patience: 600, [WebSocketServer.accept(), WebSocketServer.text("a"), .close])
    let (kinds, completion) = await events(session.webSocketRequest(url(origin)))
    #expect(kinds.count == 2)
    #expect(failure(completion) == .closedWithoutNotice)
  }

  @Test("A ping is answered, and so is ours")
  func pings() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        WebSocketServer.accept(),
        .run { connection in
          let ping = try connection.receive(exactly: 6 + 8)
          let payload = try ClientFrames.read(ping)[0].payload
          // The answer to this ping goes out before the client closes because of the pong.
          try connection.send(WebSocketServer.frame(.ping, [1, 2, 3]) + WebSocketServer.frame(.pong, payload))
        }, .expect(bytes: 6 + 3), .expect(bytes: 6 + 2), WebSocketServer.close(1_000), .expectEnd,
      ])
    let socket = session.webSocketRequest(url(origin))
    let outcome = Mutex<[String]>([])
    await withCheckedContinuation { done in
      socket.streamMessageEvents { event in
        switch event.kind {
        case .connected:
          socket.sendPing { result in
            if case .pong(let pong) = result, pong.latency >= 0 { outcome.withLock { $0.append("pong") } }
            socket.close()
          }
        case .completed: done.resume()
        case .disconnected, .receivedMessage, .decoderFailed: break
        }
      }
    }
    #expect(outcome.withLock { $0 } == ["pong"])
    guard case .unsent = await socket.sendPing() else { return #expect(Bool(false)) }
  }

  @Test("A server that answers no ping is given up")
  func silence() async throws {
    let origin = try ScriptedOrigin(patience: 600, [WebSocketServer.accept(), .expectEnd])
    let (_, completion) = await events(session.webSocketRequest(url(origin), configuration: .pingInterval(0.05)))
    #expect(failure(completion) == .pingTimedOut)
  }

  @Test("A cancelled request ends its connection")
  func cancelling() async throws {
    let origin = try ScriptedOrigin(patience: 600, [WebSocketServer.accept(), .expectEnd])
    let socket = session.webSocketRequest(url(origin))
    var last: WebSocketRequest.Completion?
    for await event in socket.streamingMessageEvents() {
      switch event.kind {
      case .connected: socket.cancel()
      case .completed(let completion): last = completion
      case .receivedMessage, .decoderFailed, .disconnected: break
      }
    }
    #expect(last?.error?.isExplicitlyCancelledError == true)
    _ = try origin.waitForFinished(1, seconds: 600)
  }

  @Test("A reader that takes nothing holds the server up, and loses nothing")
  func receivingBackPressure() async throws {
    let message = WebSocketServer.frame(.binary, [UInt8](repeating: 9, count: 100_000))
    let count = 300
    let origin = try ScriptedOrigin(
      patience: 600,
      [WebSocketServer.accept()] + (0..<count).map { _ in .send(message) } + [WebSocketServer.close(1_000), .expectEnd])
    let socket = session.webSocketRequest(url(origin), configuration: .init(allowsCompression: false))
    var bytes = 0
    for await message in socket.streamingMessages() {
      if bytes == 0 {
        // What is not taken is on the server's side.
        #expect(origin.connections.first.map { $0.isFinished } != true)
      }
      if case .data(let data) = message { bytes += data.count }
    }
    #expect(bytes == count * 100_000)
  }

  @Test("A sender that waits for its messages sends no faster than the server reads")
  func sendingBackPressure() async throws {
    let start = DispatchSemaphore(value: 0)
    let size = 1 << 20
    let count = 32
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        WebSocketServer.accept(),
        // In fragments of 64 KiB, each with a head of 14 bytes.
        .run { _ in start.wait() }, .expect(bytes: count * (size + 16 * 14)), .close,
      ])
    let socket = session.webSocketRequest(url(origin), configuration: .init(allowsCompression: false))
    let sent = Mutex(0)
    let all = Task {
      for _ in 0..<count {
        try await socket.send(.data(Data(repeating: 1, count: size)))
        sent.withLock { $0 += 1 }
      }
    }
    let reading = Task { await self.events(socket) }
    _ = try origin.waitForRequests(1, seconds: 600)
    // The kernel holds some of it, and we hold one message.
    #expect(sent.withLock { $0 } < count)
    start.signal()
    try? await all.value
    _ = await reading.value
  }

  @Test("Values come as JSON, and go as JSON")
  func values() async throws {
    struct Tape: Codable, Equatable { var side: String }
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        WebSocketServer.accept(), WebSocketServer.text(#"{"side":"A"}"#), WebSocketServer.text("none"),
        .expect(bytes: 6 + 12), WebSocketServer.close(1_000), .expectEnd,
      ])
    let socket = session.webSocketRequest(url(origin))
    async let sent: Void = socket.send(Tape(side: "B"))
    var tapes: [Tape] = []
    var failures = 0
    for await event in socket.streamingDecodableEvents(Tape.self) {
      if let tape = event.message { tapes.append(tape) }
      if case .decoderFailed = event.kind { failures += 1 }
    }
    try await sent
    #expect(tapes == [Tape(side: "A")])
    #expect(failures == 1)
  }

  @Test("A connection that was refused is tried again, if a retrier wants it")
  func retried() async throws {
    let origin = try ScriptedOrigin(patience: 600) { number in
      number == 0
        ? [.expectRequest, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), .expectEnd]
        : [WebSocketServer.accept(), WebSocketServer.text("hello"), WebSocketServer.close(1_000), .expectEnd]
    }
    let again = Interceptor(adapters: [], retriers: [Once()])
    var messages: [WebSocketRequest.Message] = []
    for await message in session.webSocketRequest(url(origin), interceptor: again).streamingMessages() {
      messages.append(message)
    }
    #expect(messages == [.string("hello")])
  }

  private struct Once: RequestRetrier {
    func retry(
      _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
      completion(request.retryCount == 0 ? .retry : .doNotRetry)
    }
  }
}
