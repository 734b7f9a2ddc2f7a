import TapelineCore
import TapelineHTTP
import TapelineTestSupport
import Testing

@testable import TapelineProxy

/// Exchanges that switch protocols.
@Suite struct WebSocketTests {
  private let authorities: Authorities

  init() throws {
    authorities = try Authorities.shared.get()
  }

  private let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
  private let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
  private let hello: [UInt8] = [0x81, 0x05] + Array("Hello".utf8)
  /// `Hi` under the mask 1, 2, 3, 4.
  private let masked: [UInt8] = [0x81, 0x82, 1, 2, 3, 4, 0x48 ^ 1, 0x69 ^ 2]
  private let close: [UInt8] = [0x88, 0x02, 0x03, 0xE8]

  private func check(_ record: ExchangeRecord) {
    #expect(record.response?.status == 101)
    #expect(record.failure == nil)
    #expect(record.relayed?.toServer == UInt64(masked.count))
    #expect(record.relayed?.toClient == UInt64(hello.count + close.count))
    #expect(record.webSocketMessages.map { String(decoding: $0.bytes, as: UTF8.self) }.prefix(2) == ["Hello", "Hi"])
    #expect(record.webSocketMessages.map(\.direction) == [.toClient, .toServer, .toClient])
    #expect(record.webSocketMessages.last?.bytes == [0x03, 0xE8])
    #expect(record.webSocketMessageCount == 3)
    #expect(record.responseBody.size == 0)
  }

  @Test func messagesPassUntouchedAndAreRecorded() throws {
    let origin = try ScriptedOrigin([
      // The first frame comes right behind the head.
      .expectRequest, .send(Array(switching.utf8) + hello), .expect(bytes: masked.count), .send(close), .expectEnd, .close,
    ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url("/chat")) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
    let head = try client.receiveHead()
    #expect(head.status == 101)
    #expect(head.value(of: "Upgrade") == "websocket")
    #expect(head.value(of: "Connection") == "Upgrade")
    #expect(try client.receive(exactly: hello.count) == hello)
    try client.send(masked)
    #expect(try client.receive(exactly: close.count) == close)
    try client.halfClose()
    #expect(try client.receiveToEnd().bytes.isEmpty)
    #expect(origin.requests.first?.value(of: "Upgrade") == "websocket")
    check(try #require(try proxy.records(1).first))
  }

  @Test func theSameOverTLS() throws {
    let switching = switching
    let (hello, close, count) = (hello, close, masked.count)
    let origin = try ScriptedOrigin([
      authorities.secure { stream in
        try stream.receive(through: "\r\n\r\n")
        try stream.send(Array(switching.utf8) + hello)
        _ = try stream.receive(exactly: count)
        try stream.send(close)
        _ = try stream.receiveToEnd()
        try stream.shutdownOutput()
      }
    ])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send("GET /chat HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
    #expect(try stream.receiveMessage().head.hasPrefix("HTTP/1.1 101 "))
    #expect(try stream.receive(exactly: hello.count) == hello)
    try stream.send(masked)
    #expect(try stream.receive(exactly: close.count) == close)
    try stream.shutdownOutput()
    #expect(try stream.receiveToEnd().isEmpty)
    let record = try #require(try proxy.records(1).first)
    check(record)
    #expect(record.implied?.scheme == .https)
  }

  @Test func anotherProtocolIsRelayedAndCounted() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo/1\r\nConnection: Upgrade\r\n\r\n"),
      .expect(bytes: 4), .send("pong"), .expectEnd, .close,
    ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: h\r\nUpgrade: echo/1\r\nConnection: upgrade\r\n\r\n")
    #expect(try client.receiveHead().status == 101)
    try client.send("ping")
    #expect(try client.receive(exactly: 4) == Array("pong".utf8))
    try client.halfClose()
    _ = try client.receiveToEnd()
    let record = try #require(try proxy.records(1).first)
    #expect(record.relayed?.toServer == 4)
    #expect(record.webSocketMessages.isEmpty)
    #expect(record.failure == nil)
  }

  @Test func whatIsNoFrameIsRelayedToo() throws {
    let bytes = [UInt8](repeating: 0xFF, count: 1_000)
    let origin = try ScriptedOrigin([.expectRequest, .send(Array(switching.utf8) + bytes), .expectEnd, .close])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
    _ = try client.receiveHead()
    #expect(try client.receive(exactly: 1_000) == bytes)
    try client.halfClose()
    _ = try client.receiveToEnd()
    let record = try #require(try proxy.records(1).first)
    #expect(record.webSocketMessages.isEmpty)
    #expect(record.relayed?.toClient == 1_000)
  }

  @Test func anOriginMayDecline() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond("426 Upgrade Required", body: "no")])])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    for _ in 0..<2 {
      try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
      #expect(try client.receiveResponse().bodyText == "no")
    }
    #expect(try proxy.records(2).allSatisfy { $0.relayed == nil && $0.failure == nil })
  }

  @Test func cleartextHTTP2IsNotAskedFor() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "ok"), .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(
      "GET \(origin.url()) HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n"
    )
    #expect(try client.receiveResponse().status == 200)
    #expect(origin.requests.first?.value(of: "Upgrade") == nil)
    #expect(origin.requests.first?.value(of: "HTTP2-Settings") == nil)
  }

  @Test func aConnectionUnderWayAtShutdownIsAnEntry() throws {
    let origin = try ScriptedOrigin([.expectRequest, .send(Array(switching.utf8) + hello), .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
    _ = try client.receiveHead()
    _ = try client.receive(exactly: hello.count)
    proxy.server.shutdown(gracePeriod: .zero)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "shut-down")
    #expect(record.webSocketMessageCount == 1)
  }

  @Test func aSlowReaderHoldsUpTheOtherEnd() throws {
    let piece = [UInt8](repeating: 0xFF, count: 1 << 20)
    let switching = switching
    let origin = try ScriptedOrigin(
      patience: 1,
      [
        .expectRequest,
        .run { connection in
          try connection.send(switching)
          for _ in 0..<256 { try connection.send(piece) }
        },
      ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
    let connection = try #require(try origin.waitForFinished(1).first)
    #expect(connection.failure != nil)
    #expect(connection.sentPieces.map(\.count).reduce(0, +) < 64 << 20)
    client.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure == nil, "whoever ends a stream has ended it")
    #expect(record.endedByClient == .receive)
  }
}
