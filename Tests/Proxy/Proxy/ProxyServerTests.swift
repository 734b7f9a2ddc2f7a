import TapelineCore
import TapelineHTTP
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

@Suite struct ProxyServerTests {
  private func get(_ url: String, fields: String = "") -> String {
    "GET \(url) HTTP/1.1\r\nHost: ignored.example\r\n\(fields)\r\n"
  }

  // MARK: Relaying

  @Test func anExchangeIsRelayedAndRecordedOnce() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["X-Odd:  spaced "], body: "hello")])])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url("/path?q=1#part"), fields: "X-Case: KePt\r\nx-case: again\r\n"))
    #expect(try client.receiveResponse().bodyText == "hello")

    let record = try #require(try proxy.records(1).first)
    #expect(record.failure == nil)
    #expect(record.responseBody.bytes == Array("hello".utf8))
    #expect(record.attempts == 1)
    #expect(record.server?.port == origin.port)
    #expect(record.request?.fields.values(named: "x-case") == ["KePt", "again"])

    let seen = try #require(origin.connections.first?.receivedText)
    #expect(
      seen == "GET /path?q=1 HTTP/1.1\r\nHost: \(origin.authority)\r\nX-Case: KePt\r\nx-case: again\r\n\r\n")
  }

  @Test func deliveryIsMarkedAfterTheResponse() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    _ = try client.receiveResponse()
    let marks = try #require(try proxy.records(1).first).marks
    let order: [TimelineMark] = [
      .accepted, .requestFirstByte, .requestHeadEnd, .queued, .connectStart, .connectEnd, .sentFirst, .responseFirstByte,
      .responseHeadEnd, .deliveredFirst, .deliveredLast,
    ]
    let instants = try order.map { try #require(marks[$0], "\($0)") }
    #expect(instants == instants.sorted())
    #expect(marks[.failed] == nil)
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() throws {
    let origin = try ScriptedOrigin([
      .forever([
        .answer { request in
          let body = String(request.startLine.dropFirst(4).prefix { $0 != " " })
          return Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        }
      ])
    ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    let numbers = 0..<20
    try client.send(numbers.map { get(origin.url("/\($0)")) }.joined())
    for number in numbers { #expect(try client.receiveResponse().bodyText == "/\(number)") }
    #expect(try proxy.records(20).count == 20)
    #expect(origin.connections.count == 1)
  }

  @Test func aPipelinedRequestMaySendItsBodyLater() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url()) + "POST \(origin.url()) HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n")
    _ = try client.receiveResponse()
    try client.send("body")
    #expect(try client.receiveResponse(to: "POST").bodyText == "ok")
    #expect(origin.requests.map(\.body) == [[], Array("body".utf8)])
  }

  @Test func everySplitOfARequestIsTheSameRequest() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness()
    let bytes = Array(
      "POST \(origin.url("/in")) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n".utf8)
    let client = try proxy.connect()
    for size in [1, 2, 3, 7, bytes.count] {
      try client.send(bytes, inPiecesOf: size)
      #expect(try client.receiveResponse(to: "POST").bodyText == "ok")
    }
    #expect(origin.requests.map(\.body) == Array(repeating: Array("body".utf8), count: 5))
    #expect(try proxy.records(5).allSatisfy { $0.failure == nil && $0.requestBody.size == 4 })
  }

  @Test func aClientThatDoesNotReadHoldsUpTheOriginInsteadOfFillingMemory() throws {
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    let pieces = 256
    let origin = try ScriptedOrigin(
      patience: 1,
      [
        .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(pieces << 20)\r\n\r\n"),
        .run { connection in for _ in 0..<pieces { try connection.send(piece) } },
      ])
    let proxy = try ProxyHarness { $0.maxBody = 0 }
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    // The origin gives up because nobody takes its bytes: what it got rid of lies in the kernel's buffers and our 256 KiB.
    let connection = try #require(try origin.waitForFinished(1).first)
    #expect(connection.failure != nil)
    #expect(connection.sentPieces.map(\.count).reduce(0, +) < 64 << 20)
    client.close()
    #expect(try proxy.records(1).first?.failure != nil)
  }

  @Test(
    "A client that says that it sends nothing more gets all of its response and the end, whether it keeps to it or not",
    arguments: ["", "\r\n", "GET http://other.test/ HTTP/1.1\r\n"])
  func lastRequest(more: String) throws {
    let body = String(repeating: "0123456789abcdef", count: 1 << 16)
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"), .expectEnd,
    ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: close\r\n\r\n\(more)")
    _ = try client.receiveHead()
    let rest = try client.receiveToEnd()
    #expect(rest.end == .closed)
    #expect(rest.bytes == Array(body.utf8))
  }

  // MARK: Failures

  @Test func aClientThatHangsUpCancelsTheUpstreamWork() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    _ = try origin.waitForRequests(1)
    client.close()
    _ = try origin.waitForFinished(1)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure == nil, "a client may change its mind")
    #expect(record.endedByClient == .wait)
    #expect(record.request != nil)
  }

  @Test("A response that only its connection's end could end is not made to look whole to a client that still listens")
  func aCutResponseWithoutALengthEndsByReset() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npart of it"), .expectEnd,
    ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    _ = try client.receive(through: "part of it")
    try client.halfClose()
    #expect(try client.receiveToEnd().end == .reset)
    #expect(try proxy.records(1).first?.endedByClient == .receive)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "half"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "4\r\nhalf\r\n"),
  ])
  func aCutBodyNeverLooksComplete(response: String, wire: String) throws {
    let origin = try ScriptedOrigin([.expectRequest, .send(response), .close])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    _ = try client.receiveHead()
    #expect(String(decoding: try client.receiveToEnd().bytes, as: UTF8.self) == wire)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.phase == .receive)
    #expect(record.responseBody.bytes == Array("half".utf8))
  }

  @Test func aRequestThatBreaksOffIsRecorded() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET http://h.example/ HTTP/1.1\r\nHos")
    client.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.request == nil)
    #expect(record.failure?.origin == .client)
  }

  @Test func aConnectionThatSaysNothingIsNoExchange() throws {
    let proxy = try ProxyHarness()
    try proxy.connect().close()
    let client = try proxy.connect()
    try client.send("nonsense\r\n\r\n")
    #expect(try client.receiveResponse().status == 400)
    #expect(try proxy.records(1).count == 1)
  }

  @Test func aSlowHeadIsGivenUp() throws {
    let proxy = try ProxyHarness { $0.headerTimeout = .milliseconds(50) }
    let client = try proxy.connect()
    try client.send("GET http://h.example/ HTTP/1.1\r\n")
    #expect(try client.receiveResponse().status == 408)
    #expect(try proxy.records(1).first?.failure?.kind.name == "timed-out")
  }

  @Test func aBodyThatStopsComingIsGivenUp() throws {
    let origin = try ScriptedOrigin([.expectHead, .expectEnd])
    let proxy = try ProxyHarness { $0.idleTimeout = .milliseconds(50) }
    let client = try proxy.connect()
    try client.send("POST \(origin.url()) HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf")
    #expect(try client.receiveResponse(to: "POST").status == 408)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "timed-out")
    #expect(record.failure?.origin == .local, "the limit is ours")
    #expect(record.failure?.option == "--idle-timeout")
    #expect(record.requestBody.bytes == Array("half".utf8))
  }

  @Test func aClientThatStopsReadingIsGivenUp() throws {
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(256 << 20)\r\n\r\n"),
      .run { connection in for _ in 0..<256 { try connection.send(piece) } },
    ])
    let proxy = try ProxyHarness { $0.idleTimeout = .milliseconds(200) }
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "timed-out")
    #expect(record.failure?.phase == .receive)
  }

  @Test func anIdleConnectionIsClosedWithoutARecord() throws {
    let proxy = try ProxyHarness { $0.idleTimeout = .milliseconds(50) }
    let client = try proxy.connect()
    #expect(try client.receiveToEnd().bytes.isEmpty)
    #expect(proxy.recordCount == 0)
  }

  @Test func beyondTheMostConnectionsAClientWaitsItsTurn() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness { $0.maxConnections = 2 }
    let clients = try (0..<3).map { _ in try proxy.connect() }
    for client in clients { try client.send(get(origin.url())) }
    // The kernel takes the third connection; the proxy does when one of the first two has gone.
    var answered = 0
    for client in clients.prefix(2) {
      answered += try client.receiveResponse().status == 200 ? 1 : 0
    }
    #expect(answered == 2)
    #expect(clients[2].received.isEmpty)
    clients[0].close()
    #expect(try clients[2].receiveResponse().status == 200)
  }

  // MARK: For the proxy itself

  @Test func theProxyAnswersRequestsForItself() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /nope HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(try client.receiveResponse().status == 200)
    #expect(try client.receiveResponse().status == 404)
    try client.send(get("http://localhost:\(proxy.port)/"))
    #expect(try client.receiveResponse().status == 200)
    #expect(try proxy.records(3).map(\.localStatus) == [200, 404, 200])
  }

  @Test func aTunnelToTheProxyItselfIsRefused() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("CONNECT 127.0.0.1:\(proxy.port) HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(try client.receiveResponse().status == 508)
    #expect(try proxy.records(1).first?.failure?.kind.name == "loop-detected")
  }

  // MARK: Tunnels

  @Test func aTunnelCarriesBytesBothWaysAndKeepsHalfClose() throws {
    let origin = try ScriptedOrigin([
      .expect(bytes: 5), .send("hello"), .expectEnd, .send(" and bye"), .close,
    ])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    // The first bytes come right behind the head.
    try client.send("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\nearly")
    #expect(try client.receiveHead().status == 200)
    #expect(try client.receive(exactly: 5) == Array("hello".utf8))
    try client.halfClose()
    #expect(try client.receiveToEnd().bytes == Array(" and bye".utf8))
    let record = try #require(try proxy.records(1).first)
    guard case .tunnel(let toServer, let toClient) = record.kind else {
      Issue.record("not a tunnel")
      return
    }
    #expect(toServer == 5)
    #expect(toClient == 13)
    #expect(record.failure == nil)
    #expect(record.localStatus == 200)
  }

  @Test func aTunnelThatCannotBeOpenedIsAnsweredAndRecorded() throws {
    let origin = try ScriptedOrigin([])
    origin.stop()
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    #expect(try client.receiveResponse().status == 502)
    #expect(try proxy.records(1).first?.failure?.kind.name == "refused")
  }

  // MARK: Shutdown

  @Test func shutdownCancelsWhatIsUnderWayAndRecordsIt() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    _ = try origin.waitForRequests(1)
    proxy.server.shutdown(gracePeriod: .zero)
    #expect(try proxy.records(1).first?.failure?.origin == .local)
  }

  @Test func shutdownLetsAnExchangeEndInTheGracePeriod() throws {
    let origin = try ScriptedOrigin([.expectRequest, .delay(milliseconds: 100), .respond(body: "late"), .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin.url()))
    _ = try origin.waitForRequests(1)
    proxy.server.shutdown(gracePeriod: .seconds(10))
    #expect(try client.receiveResponse().bodyText == "late")
    #expect(try proxy.records(1).first?.failure == nil)
  }
}
