import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

/// Streams that carry bytes instead of messages, and HTTP/2 inside tunnels.
@Suite("Clients that speak HTTP/2: tunnels and WebSocket") struct HTTP2ClientTunnelsTests {
  private func connect(_ authority: String) -> [(String, String)] {
    [(":method", "CONNECT"), (":authority", authority)]
  }

  @Test("CONNECT makes a stream a tunnel (RFC 9113 8.5)") func tunnel() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 4), .send("pong"), .expectEnd, .close])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(connect(origin.authority), hasContent: true)
    try client.send(Array("ping".utf8), on: stream)
    try client.wait { $0.responses[stream]?.body.count == 4 }
    #expect(client.responses[stream]?.status == 200 && client.responses[stream]?.bodyText == "pong")
    try client.send([], on: stream, isLast: true)
    #expect(try client.response(to: stream).ended)
    let record = try #require(try proxy.records(1).first)
    guard case .tunnel(4, 4) = record.kind else { return #expect(Bool(false), "4 bytes passed each way") }
    #expect(record.unread == .notIntercepted && record.http2?.clientStream == stream && record.failure == nil)
  }

  @Test("A tunnel over a stream is relayed unread where others are read") func unread() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "ok"), .expectEnd])
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(connect(origin.authority), hasContent: true)
    try client.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), on: stream)
    try client.wait { $0.responses[stream]?.bodyText.hasSuffix("ok") ?? false }
    try client.reset(stream)
    let record = try #require(try proxy.records(1).first)
    #expect(record.unread == .streamTunnel && record.endedByClient != nil)
  }

  @Test("A tunnel that cannot be opened is answered for; one that breaks is reset (RFC 9113 8.5)") func failingTunnels() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 1), .reset])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    #expect(try client.response(to: try client.open(connect("127.0.0.1:1"), hasContent: true)).status == 502)
    let stream = try client.open(connect(origin.authority), hasContent: true)
    try client.send([1], on: stream)
    #expect(try client.response(to: stream).reset == .connectError)
    #expect(try proxy.records(2).allSatisfy { $0.failure != nil })
  }

  private let hello: [UInt8] = [0x81, 0x05] + Array("Hello".utf8)
  /// `Hi` under the mask 1, 2, 3, 4.
  private let masked: [UInt8] = [0x81, 0x82, 1, 2, 3, 4, 0x48 ^ 1, 0x69 ^ 2]
  private let close: [UInt8] = [0x88, 0x02, 0x03, 0xE8]

  @Test("A WebSocket over a stream becomes an upgrade of HTTP/1.1 (RFC 8441 5)") func webSocket() throws {
    let origin = try ScriptedOrigin(scripts: { [hello, close, count = masked.count] number in
      number == 0
        ? [
          .expectRequest, .respond(body: "page"),
          .forever([
            .expectRequest,
            .send(
              Array(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"
                  .utf8) + hello),
            .expect(bytes: count), .send(close), .expectEnd, .close,
          ]),
        ]
        : [.expectEnd]
    })
    let proxy = try ProxyHarness.speakingHTTP2 { $0.transport = { OfferingTransport($0) } }
    let client = try proxy.http2()
    let early = try client.open([
      (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":authority", origin.authority),
      (":path", "/chat"),
    ])
    #expect(try client.response(to: early).reset == .protocolError, "nobody has offered it yet")
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "page")
    try client.wait { $0.settings?.offersExtendedConnect ?? false }
    let stream = try client.open(
      [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":authority", origin.authority),
        (":path", "/chat"), ("sec-websocket-version", "13"), ("origin", "http://a"),
      ], hasContent: true)
    try client.wait { $0.responses[stream]?.body.count == hello.count }
    #expect(client.responses[stream]?.status == 200 && client.responses[stream]?.body == hello)
    #expect(client.responses[stream]?.values(of: "sec-websocket-accept").isEmpty == true)
    try client.send(masked, on: stream)
    try client.wait { $0.responses[stream]?.body.count == hello.count + close.count }
    try client.send([], on: stream, isLast: true)
    #expect(try client.response(to: stream).ended)
    let request = try #require(origin.requests.last)
    #expect(request.startLine == "GET /chat HTTP/1.1" && request.value(of: "upgrade") == "websocket")
    #expect(request.value(of: "connection") == "Upgrade" && request.value(of: "sec-websocket-key")?.utf8.count == 24)
    #expect(request.value(of: "sec-websocket-version") == "13")
    let record = try proxy.records(3)[2]
    #expect(record.failure == nil && record.webSocketMessageCount == 3)
    #expect(record.webSocketMessages.map(\.direction) == [.toClient, .toServer, .toClient])
    #expect(record.relayed?.toServer == UInt64(masked.count))
  }

  @Test("An origin that declines an upgrade answers the extended CONNECT") func declined() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond("403 Forbidden", body: "no")])])
    let proxy = try ProxyHarness.speakingHTTP2 { $0.transport = { OfferingTransport($0) } }
    let client = try proxy.http2()
    _ = try client.response(to: try client.open(origin.request()))
    try client.wait { $0.settings?.offersExtendedConnect ?? false }
    let stream = try client.open(
      [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":authority", origin.authority), (":path", "/"),
      ], hasContent: true)
    let response = try client.response(to: stream)
    #expect(response.status == 403 && response.bodyText == "no")
    #expect(try proxy.records(2).allSatisfy { $0.failure == nil })
  }

  @Test("The preface inside a CONNECT tunnel goes on as HTTP/2 in clear (RFC 9113 3.3)") func priorKnowledge() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 16), .close])
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = HTTP2Client(over: try proxy.tunnel(to: origin))
    _ = try client.response(to: try client.open(origin.request()))
    let record = try #require(try proxy.records(1).first)
    #expect(record.http2?.clientStream == 1 && record.unread == nil)
    #expect(record.marks[.tunnelHeadEnd] != nil && record.implied?.scheme == .http)
  }

  @Test("Where HTTP/2 is not spoken, its preface is not a request") func notSpoken() throws {
    let proxy = try ProxyHarness { $0.speaksHTTP2 = false }
    let client = try proxy.connect()
    try client.send(HTTP2Preface.bytes)
    #expect(try client.receiveResponse().status == 505)
  }

  @Test("Requests that begin like the preface are requests", arguments: ["P", "PR"]) func similar(prefix: String) throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "ok"), .expectEnd])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.connect()
    let request = Array("PROPFIND \(origin.url()) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    try client.send(Array(request.prefix(prefix.utf8.count)))
    try client.send(Array(request.dropFirst(prefix.utf8.count)))
    #expect(try client.receiveResponse().bodyText == "ok")
  }
}
