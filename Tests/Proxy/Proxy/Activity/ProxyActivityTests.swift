import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

@Suite struct ProxyActivityTests {
  /// Waits for a state that is sure to come.
  @Test func nothingHasHappenedAtFirst() throws {
    let proxy = try ProxyHarness()
    #expect(proxy.server.activity == ProxyActivity())
  }

  @Test func anExchangeIsInFlightUntilItIsRecorded() throws {
    let origin = try ScriptedOrigin([.expectRequest, .delay(milliseconds: 50), .respond(body: "ok"), .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\r\n")
    _ = try origin.waitForRequests(1)
    #expect(proxy.server.activity.inFlight == 1)
    #expect(proxy.server.activity.begun == 1)
    #expect(proxy.server.activity.clientConnections == 1)
    let before = try #require(proxy.server.activity.lastChange)
    _ = try client.receiveResponse()
    try proxy.waitForActivity { $0.inFlight == 0 }
    #expect(try #require(proxy.server.activity.lastChange) > before)
    client.close()
    try proxy.waitForActivity { $0.clientConnections == 0 }
  }

  @Test func aTunnelIsNotInFlightOnceItStands() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.tunnel(to: origin)
    try proxy.waitForActivity { $0.inFlight == 0 && $0.openTunnels == 1 }
    client.close()
    try proxy.waitForActivity { $0.openTunnels == 0 }
    #expect(proxy.server.activity.begun == 1)
  }

  @Test(arguments: [
    ("text/event-stream", "Transfer-Encoding: chunked", true), ("Text/Event-Stream; charset=utf-8", "Connection: close", true),
    ("multipart/x-mixed-replace;boundary=x", "Transfer-Encoding: chunked", true),
    ("text/event-stream", "Content-Length: 99", false),
    ("application/x-ndjson", "Transfer-Encoding: chunked", false), ("application/octet-stream", "Content-Length: 99", false),
  ])
  func aResponseThatHasNoEndOfItsOwnIsAStream(type: String, framing: String, isStream: Bool) throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(framing)\r\n\r\n"), .expectEnd,
    ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\r\n")
    _ = try client.receiveHead()
    #expect(proxy.server.activity.inFlight == 1)
    #expect(proxy.server.activity.streams == (isStream ? 1 : 0))
    client.close()
    try proxy.waitForActivity { $0.inFlight == 0 && $0.streams == 0 }
    #expect(proxy.server.activity.begun == 1)
  }

  @Test func whatIsRefusedIsOverAtOnce() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /nope HTTP/1.1\r\nHost: h\r\n\r\n")
    _ = try client.receiveResponse()
    _ = try client.receiveResponse()
    try proxy.waitForActivity { $0.inFlight == 0 && $0.begun == 2 }
    try client.send("GET / HT")
    try proxy.waitForActivity { $0.inFlight == 1 }
    client.close()
    try proxy.waitForActivity { $0.inFlight == 0 && $0.clientConnections == 0 }
  }
}
