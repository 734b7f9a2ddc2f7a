import TapelineCore
import TapelineHTTP
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

@Suite struct InterceptionTests {
  private let authorities: Authorities

  init() throws {
    authorities = try Authorities.shared.get()
  }

  private func get(_ target: String, host: String = "localhost") -> String {
    "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
  }

  // MARK: What is read

  @Test func requestsInATunnelAreReadAndRecorded() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    for path in ["/first?q=1", "/second"] {
      try stream.send(get(path, host: "localhost:\(origin.port)"))
      #expect(try stream.receiveMessage().body == "GET \(path) HTTP/1.1")
    }
    let records = try proxy.records(2)
    #expect(records.allSatisfy { $0.failure == nil && $0.response?.status == 200 && $0.comment == nil })
    #expect(
      records.map { $0.request?.urlText(implied: $0.implied) }
        == ["/first?q=1", "/second"].map {
          "https://localhost:\(origin.port)\($0)"
        })
    for record in records {
      #expect(record.clientTLS?.version == "TLSv1.3")
      #expect(record.clientTLS?.serverName == "localhost")
      #expect(record.clientTLS?.offeredProtocols == ["http/1.1"])
      #expect(record.serverTLS?.version == "TLSv1.3")
      #expect(record.serverTLS?.certificate?.names.contains("localhost") == true)
      #expect(record.serverTLS?.isUnverified == false)
    }
    #expect(records.map { $0.server?.isReused } == [false, true])
    #expect(records.map(\.client.isReused) == [false, true])
    #expect(origin.connections.count == 1, "the connection that CONNECT opened is the one that is used")
    #expect(proxy.recordCount == 2, "the CONNECT is no entry of its own")
  }

  @Test func theFirstRequestPaysForTheTunnel() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    for _ in 0..<2 {
      try stream.send(get("/"))
      _ = try stream.receiveMessage()
    }
    let records = try proxy.records(2)
    let first = records[0].marks
    let client: [TimelineMark] = [
      .accepted, .requestFirstByte, .tunnelHeadEnd, .clientTLSStart, .clientTLSEnd, .requestHeadEnd, .sentFirst,
      .responseFirstByte, .deliveredFirst,
    ]
    let server: [TimelineMark] = [.tunnelHeadEnd, .queued, .connectStart, .connectEnd, .tlsStart, .tlsEnd, .sentFirst]
    for order in [client, server] {
      let instants = try order.map { try #require(first[$0], "\($0)") }
      #expect(instants == instants.sorted())
    }
    let phases = ExchangePhases(first)
    #expect(phases.connect != nil && phases.ssl != nil)
    let second = records[1].marks
    for mark: TimelineMark in [.tunnelHeadEnd, .clientTLSStart, .connectStart, .tlsStart] {
      #expect(second[mark] == nil, "\(mark)")
    }
    #expect(ExchangePhases(second).connect == nil)
    #expect(records[1].mintingNanoseconds == nil)
  }

  @Test func aHelloMayComeInAnyPieces() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect(inPiecesOf: 40)
    try stream.send(get("/"))
    #expect(try stream.receiveMessage().body == "GET / HTTP/1.1")
  }

  @Test func aHelloMayComeRightBehindTheConnect() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.connect()
    let stream = try authorities.client(over: client)
    try stream.sendHello(after: "CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    #expect(try client.receiveHead().status == 200)
    try stream.handshake()
    try stream.send(get("/"))
    #expect(try stream.receiveMessage().body == "GET / HTTP/1.1")
    #expect(try proxy.records(1).first?.marks[.clientTLSStart] != nil)
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    let paths = (0..<100).map { "/\($0)" }
    try stream.send(paths.map { get($0) }.joined())
    for path in paths { #expect(try stream.receiveMessage().body == "GET \(path) HTTP/1.1") }
    #expect(try proxy.records(100).allSatisfy { $0.failure == nil })
  }

  @Test func absoluteFormThatNamesAnotherHostIsNoted() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send(get("https://elsewhere.example/x"))
    #expect(try stream.receiveMessage().body == "GET /x HTTP/1.1")
    let record = try #require(try proxy.records(1).first)
    #expect(record.request?.urlText(implied: record.implied) == "https://localhost:\(origin.port)/x")
    #expect(record.comment?.contains("the request names elsewhere.example, and went where the tunnel leads") == true)
    #expect(record.server?.port == origin.port)
  }

  @Test func aLargeBodyGoesUpAndDown() throws {
    let size = 3 << 20
    let body = patternedBytes(size)
    let origin = try ScriptedOrigin([
      authorities.secure { stream in
        try stream.receive(through: "\r\n\r\n")
        let received = try stream.receive(exactly: size)
        try stream.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
        try stream.send(received)
        _ = try stream.receiveToEnd()
      }
    ])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(size)\r\n\r\n")
    try stream.send(body)
    #expect(try stream.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    #expect(try stream.receive(exactly: size) == body)
    let record = try #require(try proxy.records(1).first)
    #expect(record.requestBody.size == UInt64(size))
    #expect(record.responseBody.size == UInt64(size))
    #expect(record.failure == nil)
  }

  @Test func aClientThatDoesNotReadHoldsUpTheOriginHereToo() throws {
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    let origin = try ScriptedOrigin(
      patience: 1,
      [
        authorities.secure { stream in
          try stream.receive(through: "\r\n\r\n")
          try stream.send("HTTP/1.1 200 OK\r\nContent-Length: \(256 << 20)\r\n\r\n")
          for _ in 0..<256 { try stream.send(piece) }
        }
      ])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    let stream = try authorities.client(over: client)
    try stream.connect()
    try stream.send(get("/"))
    let connection = try #require(try origin.waitForFinished(1).first)
    #expect(connection.failure != nil)
    #expect(connection.sentPieces.map(\.count).reduce(0, +) < 64 << 20)
    client.close()
    #expect(try proxy.records(1).first?.failure?.origin == .client)
  }

  @Test(arguments: [false, true])
  func aConnectionThatTheOriginGivesUpEndsTheClientsUnlessItIsShared(shares: Bool) throws {
    let origin = try ScriptedOrigin(scripts: { [authorities] number in
      [number == 0 ? authorities.secure { _ in } : authorities.echo()]
    })
    let proxy = try ProxyHarness.intercepting { configuration, _ in configuration.sharesConnections = shares }
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    _ = try origin.waitForFinished(1)
    if shares {
      try stream.send(get("/"))
      #expect(try stream.receiveMessage().body == "GET / HTTP/1.1")
    } else {
      #expect(throws: (any Error).self) { try stream.receiveMessage() }
    }
    #expect(try proxy.records(1).first?.failure == nil)
  }

  @Test func anOriginThatLeavesBeforeTheHelloEndsTheTunnel() throws {
    let origin = try ScriptedOrigin([.close])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    #expect(try client.receiveToEnd().bytes.isEmpty)
    client.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure == nil)
    guard case .tunnel(0, 0) = record.kind else {
      Issue.record("not a tunnel")
      return
    }
  }

  @Test func aSecondTunnelUsesTheIdleConnectionOfTheFirst() throws {
    let origin = try ScriptedOrigin(scripts: { [authorities] _ in [authorities.echo()] })
    let proxy = try ProxyHarness.intercepting()
    for _ in 0..<2 {
      let raw = try proxy.tunnel(to: origin)
      let stream = try authorities.client(over: raw)
      try stream.connect()
      try stream.send(get("/a"))
      _ = try stream.receiveMessage()
      try stream.send(get("/b"))
      _ = try stream.receiveMessage()
      raw.close()
    }
    #expect(try proxy.records(4).allSatisfy { $0.failure == nil })
  }

  @Test func aRequestWithoutHostGetsTheOneOfItsTunnel() throws {
    let origin = try ScriptedOrigin([
      authorities.secure { stream in
        let head = try stream.receive(through: "\r\n\r\n")
        try stream.send("HTTP/1.1 200 OK\r\nContent-Length: \(head.utf8.count)\r\n\r\n\(head)")
      }
    ])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send("GET /old HTTP/1.0\r\n\r\n")
    let body = try stream.receiveMessage().body
    #expect(body == "GET /old HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: close\r\n\r\n")
  }

  @Test(arguments: [
    ("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 501),
    ("nonsense\r\n\r\n", 400),
  ])
  func whatIsNoRequestToThatServerIsRefused(text: String, status: Int) throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send(text)
    #expect(try stream.receiveMessage().head.hasPrefix("HTTP/1.1 \(status) "))
    let record = try #require(try proxy.records(1).first)
    #expect(record.localStatus == status)
    #expect(record.marks[.tunnelHeadEnd] != nil)
  }

  // MARK: Origins that are not trusted

  @Test func anUnknownAuthorityIsAPageAndAnEntry() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting { configuration, _ in
      configuration.upstreamTLS = try authorities.upstream(trustsOrigins: false)
    }
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send(get("/"))
    let page = try stream.receiveMessage()
    #expect(page.head.hasPrefix("HTTP/1.1 502 "))
    #expect(page.head.contains("Proxy-Status: tapeline; error=tls_certificate_error"))
    #expect(page.body.contains("its authority is unknown"))
    #expect(page.body.contains("--upstream-ca"))
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.origin == .upstream)
    #expect(record.failure?.phase == .tls)
    #expect(record.failure?.kind.name == "certificate-unknown-authority")
    #expect(record.localStatus == 502)
    #expect(record.serverTLS?.certificate?.names == ["localhost"])
  }

  @Test func aCertificateForAnotherHostIsRefused() throws {
    let origin = try ScriptedOrigin([authorities.echo(as: "other.example")])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send(get("/"))
    #expect(try stream.receiveMessage().body.contains("it was made for another host"))
    #expect(try proxy.records(1).first?.failure?.kind.name == "certificate-host-mismatch")
  }

  @Test func withoutVerificationTheEntrySaysSo() throws {
    let origin = try ScriptedOrigin([authorities.echo(as: "other.example")])
    let proxy = try ProxyHarness.intercepting { configuration, _ in
      configuration.upstreamTLS = try authorities.upstream(verifies: false)
    }
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send(get("/"))
    #expect(try stream.receiveMessage().head.hasPrefix("HTTP/1.1 200 "))
    #expect(try proxy.records(1).first?.serverTLS?.isUnverified == true)
  }

  @Test func anOriginThatSpeaksNoTLSIsAFailureOfTLS() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .expectEnd])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.connect()
    try stream.send(get("/"))
    #expect(try stream.receiveMessage().head.hasPrefix("HTTP/1.1 502 "))
    #expect(try proxy.records(1).first?.failure?.phase == .tls)
  }

  // MARK: Tunnels that come to nothing

  @Test func aTunnelWithoutARequestIsAnEntry() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting { _, interception in interception.failsOpen = false }
    let client = try proxy.tunnel(to: origin)
    let stream = try authorities.client(over: client)
    try stream.connect()
    client.close()
    let record = try #require(try proxy.records(1).first)
    guard case .tunnel(0, 0) = record.kind else {
      Issue.record("not a tunnel")
      return
    }
    #expect(record.failure == nil)
    #expect(record.comment == "no request came through the tunnel")
    #expect(record.clientTLS?.version == "TLSv1.3")
    #expect(record.marks[.connectEnd] != nil)
  }

  @Test func aHandshakeUnderWayAtShutdownIsAnEntry() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.sendHello()
    _ = try stream.receiveRecord()
    proxy.server.shutdown(gracePeriod: .zero)
    #expect(try proxy.records(1).first?.failure?.kind.name == "shut-down")
  }

  @Test func aHandshakeThatStopsIsGivenUp() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting { configuration, _ in configuration.headerTimeout = .milliseconds(50) }
    let stream = try authorities.client(over: try proxy.tunnel(to: origin))
    try stream.sendHello()
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "timed-out")
    #expect(record.failure?.phase == .tls)
  }

  @Test func aNameThatIsNoHostIsTakenToMeanTheTunnels() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting { _, interception in interception.failsOpen = false }
    let client = try proxy.tunnel(to: origin)
    let name = Array("no/host".utf8)
    let serverName: [UInt8] = [0, 0, 0, UInt8(name.count + 5), 0, UInt8(name.count + 3), 0, 0, UInt8(name.count)] + name
    let body: [UInt8] =
      [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0x13, 1, 1, 0, 0, UInt8(serverName.count)] + serverName
    try client.send([22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body)
    // The handshake begins; it cannot succeed, since the hello offers too little.
    #expect(try client.receiveToEnd().bytes.first == 21)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "protocol-violation")
    #expect(record.clientTLS?.serverName == "no/host")
    #expect(
      record.comment
        == "the client's server name \"no/host\" is not a host: tapeline uses \(origin.authority.prefix { $0 != ":" }), where the tunnel leads"
    )
  }

  @Test func aClientThatOffersNoVersionOfOursIsToldAndRecorded() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting { _, interception in interception.failsOpen = false }
    let client = try proxy.tunnel(to: origin)
    // A hello of TLS 1.0: version 3.1 outside and in, one cipher suite, no extensions.
    let body: [UInt8] = [3, 1] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0, 0x2F, 1, 0]
    try client.send([22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body)
    #expect(try client.receive(exactly: 1) == [21], "an alert")
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.origin == .client)
    #expect(record.failure?.phase == .tls)
    #expect(record.clientTLS?.alert?.origin == "local")
    #expect(record.clientTLS?.offeredVersions == ["TLSv1"])
  }
}
