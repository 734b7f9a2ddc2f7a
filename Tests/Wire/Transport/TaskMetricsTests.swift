import TapelineHTTP
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineTransport

@Suite struct TaskMetricsTests {
  @Test("A transaction tells its request, its addresses and its bytes")
  func transaction() throws {
    let response = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    let origin = try ScriptedOrigin([.expectRequest, .send(response), .expectEnd])
    let wire = try Wire()
    let metrics = try wire.run(.get(origin, path: "/a?b#c", sender: .ourselves)).metrics
    let only = try #require(metrics.transactions.first)
    #expect(metrics.transactions.count == 1)
    #expect(only.requestMethod == "GET")
    #expect(only.requestURL == origin.url("/a?b"))
    #expect(only.statusCode == 200)
    #expect(only.networkProtocolName == "http/1.1")
    #expect(only.remoteAddress == "127.0.0.1")
    #expect(only.remotePort == origin.port)
    #expect(only.localAddress == "127.0.0.1")
    #expect(try #require(only.localPort) != origin.port)
    #expect(!only.isProxyConnection)
    #expect(only.tlsProtocolVersion == nil)
    let sent = try #require(origin.connections.first?.received)
    #expect(only.requestHeaderBytes == UInt64(sent.count))
    #expect(only.requestBodyBytes == 0)
    #expect(metrics.bytesSent == UInt64(sent.count))
    #expect(only.responseBodyBytes == 3)
    #expect(only.responseHeaderBytes == UInt64(response.utf8.count - "3\r\nabc\r\n0\r\n\r\n".utf8.count))
    #expect(metrics.bytesReceived == UInt64(response.utf8.count))
  }

  @Test("The bytes of a request's body are counted without their framing")
  func requestBody() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond()])])
    let wire = try Wire()
    // From here on the server is known to understand chunks.
    _ = try wire.run(.get(origin))
    let metrics = try wire.run(.post(origin, framing: .chunked), body: [1, 2, 3]).metrics
    let only = try #require(metrics.transactions.first)
    #expect(only.requestBodyBytes == 3)
    #expect(metrics.bytesSent > only.requestHeaderBytes + 3)
  }

  @Test("An attempt on a dead connection is a transaction without a response")
  func deadConnection() throws {
    let origin = try ScriptedOrigin { number in
      number == 0 ? [.expectRequest, .respond(), .expectRequest, .close] : [.expectRequest, .respond(), .expectEnd]
    }
    let wire = try Wire()
    _ = try wire.run(.get(origin, sender: .ourselves))
    let metrics = try wire.run(.get(origin, sender: .ourselves)).metrics
    #expect(metrics.attempts == 2)
    #expect(metrics.transactions.map(\.statusCode) == [nil, 200])
    #expect(metrics.transactions.map(\.isReusedConnection) == [true, false])
    #expect(metrics.transactions.map(\.requestURL) == [origin.url(), origin.url()])
  }

  @Test("What is only passed on is not described")
  func forwarded() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(), .expectEnd])
    let wire = try Wire()
    #expect(try wire.run(.get(origin)).metrics.transactions.first?.requestURL == nil)
  }

  @Test("Instants are offsets from the task's beginning, in order")
  func instants() throws {
    let origin = try ScriptedOrigin([.expectRequest, .delay(milliseconds: 20), .respond(body: "hello"), .expectEnd])
    let wire = try Wire()
    let metrics = try wire.run(.get(origin)).metrics
    let only = try #require(metrics.transactions.first)
    let instants = [
      only.fetchStart, only.connectStart, only.connectEnd, only.requestStart, only.requestEnd, only.responseStart,
      only.responseHeadEnd, only.responseEnd,
    ]
    let offsets = try instants.map { try #require($0).offset }
    #expect(offsets.first == .zero)
    #expect(offsets == offsets.sorted())
    #expect(try #require(only.responseStart).offset - #require(only.requestEnd).offset >= .milliseconds(15))
    #expect(metrics.duration == offsets.last)
    #expect(only.domainLookupStart == nil)
    #expect(only.proxyConnectStart == nil)
    #expect(only.secureConnectionStart == nil)
  }

  @Test("The kernel is asked when the connection stands and when the exchange is over")
  func tcpStatistics() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let wire = try Wire()
    let only = try #require(try wire.run(.get(origin)).metrics.transactions.first)
    #expect(try #require(only.tcpAtConnect).congestionWindow > 0)
    #expect(try #require(only.tcpAtEnd).roundTripTime > .zero)
  }

  @Test("A transaction over TLS tells version, cipher and whether it was resumed")
  func secured() throws {
    let authority = try TestAuthority()
    let context = try authority.clientContext()
    let origin = try ScriptedOrigin(authority) { peer, _ in
      _ = try peer.receiveHead()
      try peer.respond(body: "hello")
      _ = try peer.receiveEnd()
    }
    let wire = try Wire { $0.tls = context }
    let only = try #require(try wire.run(.secureGet(origin)).metrics.transactions.first)
    #expect(only.tlsProtocolVersion == "TLSv1.3")
    #expect(only.tlsCipherSuite?.hasPrefix("TLS_") == true)
    #expect(only.tlsIsResumed == false)
    #expect(try #require(only.secureConnectionEnd) >= #require(only.secureConnectionStart))
  }

  @Test("A task that never began has no transactions")
  func nothing() {
    #expect(TaskMetrics().transactions.isEmpty)
    #expect(TaskMetrics().duration == .zero)
  }
}
