import TapelineHTTP
import TapelineLoop
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineTransport

/// Exchanges and tunnels through another proxy (issue of its own: RFC 9112 3.2.2, RFC 9110 9.3.6).
@Suite struct UpstreamProxyTests {
  private static let credential = Credential(user: "me", password: "secret")

  private func makeWire(
    through proxy: ScriptedOrigin, credential: Credential? = nil, exceptions: String = "",
    _ configure: (inout NetworkTransport.Configuration) -> Void = { _ in }
  ) throws -> Wire {
    let upstream = UpstreamProxy(
      host: "127.0.0.1", port: proxy.port, credential: credential, exceptions: try ProxyExceptions(parsing: exceptions))
    return try Wire { configuration in
      configuration.upstreamProxy = upstream
      configure(&configuration)
    }
  }

  // MARK: Forwarding

  @Test("RFC 9112 3.2.2: a proxy gets the absolute form", arguments: [OutgoingRequest.Sender.client, .ourselves])
  func absoluteForm(sender: OutgoingRequest.Sender) throws {
    let proxy = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let outcome = try makeWire(through: proxy).run(
      .get("http://me:pw@origin.test:8080/a?b#c", host: "origin.test", port: 8080, sender: sender))
    #expect(outcome.received == Array("hello".utf8))
    #expect(proxy.requests.map(\.target) == ["http://origin.test:8080/a?b"])
    #expect(proxy.requests.first?.values(of: "Host") == ["origin.test:8080"])
    #expect(proxy.requests.first?.values(of: "Proxy-Authorization") == [])
    let only = try #require(outcome.metrics.transactions.first)
    #expect(only.isProxyConnection)
    #expect(only.remotePort == proxy.port)
    #expect(only.proxyConnectStart == nil)
  }

  @Test("RFC 9112 3.2.2: what names no authority gets one")
  func originForm() throws {
    let proxy = try ScriptedOrigin([.expectRequest, .respond(), .expectRequest, .respond(), .expectEnd])
    let wire = try makeWire(through: proxy)
    let route = Route(host: "origin.test", port: 81)
    _ = try wire.run(
      OutgoingRequest(
        head: try RequestHead(method: .get, target: "/x", fields: ["Host": "origin.test:81"]), framing: .none, route: route))
    _ = try wire.run(OutgoingRequest(head: try RequestHead(method: .options, target: "*"), framing: .none, route: route))
    #expect(proxy.requests.map(\.target) == ["http://origin.test:81/x", "http://origin.test:81"])
  }

  @Test("RFC 9112 9.3: requests of several origins share a connection to the proxy")
  func sharing() throws {
    let proxy = try ScriptedOrigin([.forever([.expectRequest, .respond()])])
    let wire = try makeWire(through: proxy)
    _ = try wire.run(.get("http://one.test/", host: "one.test"))
    let second = try wire.run(.get("http://two.test/", host: "two.test"))
    #expect(second.metrics.connection?.isReused == true)
    #expect(proxy.connections.count == 1)
  }

  @Test("Exceptions are reached directly")
  func exceptions() throws {
    let proxy = try ScriptedOrigin([.expectEnd])
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "direct"), .expectEnd])
    let wire = try makeWire(through: proxy, exceptions: "127.0.0.0/8")
    let outcome = try wire.run(.get(origin))
    #expect(outcome.received == Array("direct".utf8))
    #expect(origin.requests.map(\.target) == ["/"])
    #expect(outcome.metrics.connection?.proxy == nil)
    #expect(proxy.connections.isEmpty)
  }

  // MARK: Tunnels

  @Test("RFC 9110 9.3.6: TLS goes through a tunnel, and the proxy learns host and port only")
  func tunnel() throws {
    let authority = try TestAuthority()
    let credentials = try authority.credentials(for: "origin.test")
    let serverContext = authority.serverContext
    let proxy = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 200 Connection established\r\n\r\n"),
      .run { connection in
        let peer = try SecurePeer(server: serverContext, credentials: credentials, on: connection)
        try peer.handshake()
        while true {
          #expect(try peer.receiveHead().hasPrefix("GET /a HTTP/1.1\r\nHost: origin.test\r\n"))
          try peer.respond(body: "hello")
        }
      },
    ])
    let context = try authority.clientContext()
    let wire = try makeWire(through: proxy) { $0.tls = context }
    let request = OutgoingRequest(
      head: try RequestHead(method: .get, target: "https://origin.test/a", fields: ["X-Secret": "1"]), framing: .none,
      route: Route(host: "origin.test", port: 443, security: .tls(serverName: "origin.test")))
    let outcome = try wire.run(request)
    #expect(outcome.error == nil)
    let text = try #require(proxy.connections.first?.receivedText)
    #expect(text.hasPrefix("CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\nVia: 1.1 tapeline-"))
    #expect(!text.contains("X-Secret"))
    let marks = outcome.metrics.marks
    let order: [TimelineMark] = [
      .connectStart, .connectEnd, .proxyConnectStart, .proxyConnectEnd, .tlsStart, .tlsEnd, .sentFirst,
    ]
    let instants = try order.map { try #require(marks[$0], "\($0)") }
    #expect(instants == instants.sorted())
    #expect(outcome.metrics.tls?.certificate?.names == ["origin.test"])

    let second = try wire.run(request).metrics
    #expect(second.connection?.isReused == true)
    #expect(second.transactions.first?.isProxyConnection == true)
    #expect(second.marks[.proxyConnectStart] == nil)
  }

  @Test("RFC 9110 7.6.3: a CONNECT for a client says through whom it came, one of our own does not")
  func via() throws {
    let authority = try TestAuthority()
    let context = try authority.clientContext()
    let script: [OriginStep] = [.expectHead, .respond("503 No"), .expectEnd]
    for (sender, count) in [(OutgoingRequest.Sender.client, 1), (.ourselves, 0)] {
      let proxy = try ScriptedOrigin(script)
      let head = try RequestHead(method: .get, target: "https://origin.test/", version: .http10)
      _ = try makeWire(through: proxy) { $0.tls = context }.run(
        OutgoingRequest(
          head: head, framing: .none, route: Route(host: "origin.test", port: 443, security: .tls(serverName: "origin.test")),
          sender: sender))
      #expect(viaLines(proxy).count == count)
      #expect(viaLines(proxy).allSatisfy { $0.hasPrefix("1.0 tapeline-") })
    }
    let proxy = try ScriptedOrigin(script)
    let route = Route(host: "origin.test", port: 443)
    let wire = try makeWire(through: proxy)
    _ = try wire.start(route, via: ["1.1 first (a), 1.1 second", "1.0 third"]).wait()
    #expect(viaLines(proxy) == ["1.1 first (a), 1.1 second", "1.0 third"])
  }

  private func viaLines(_ proxy: ScriptedOrigin) -> [String] {
    let text = proxy.connections.first?.receivedText ?? ""
    return text.split(separator: "\r\n").filter { $0.hasPrefix("Via: ") }.map { String($0.dropFirst("Via: ".count)) }
  }

  @Test("RFC 9110 9.3.6: a stream goes through a tunnel, and its server may speak first")
  func stream() throws {
    let proxy = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n220 ready"), .expect(bytes: 4), .send("bye"), .close,
    ])
    let wire = try makeWire(through: proxy)
    let run = try wire.open(Route(host: "mail.test", port: 25))
    #expect(try run.waitForBytes(9) == Array("220 ready".utf8))
    run.send("EHLO")
    #expect(try run.waitForBytes(12) == Array("220 readybye".utf8))
    run.finishSending()
    let outcome = try run.wait()
    #expect(outcome.error == nil)
    #expect(outcome.metrics.bytesSent == 4)
    #expect(outcome.metrics.bytesReceived == 12)
  }

  @Test("RFC 6455 4.1: what wants to upgrade goes through a tunnel too, in origin-form")
  func upgrade() throws {
    let proxy = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .expectRequest,
      .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: test/1\r\nConnection: Upgrade\r\n\r\n"), .expectEnd,
    ])
    let wire = try makeWire(through: proxy)
    let head = try RequestHead(
      method: .get, target: "http://ws.test/chat", fields: ["Upgrade": "test/1", "Connection": "Upgrade"])
    let run = try wire.begin(
      OutgoingRequest(head: head, framing: .none, route: Route(host: "ws.test", port: 80), allowsUpgrade: true))
    try run.waitForEvent("upgrade")
    #expect(proxy.requests.map(\.target) == ["/chat"])
    run.task.cancel()
    _ = try run.wait()
  }

  @Test("A connection that a stream opened through the proxy is an exchange's to use")
  func prepared() throws {
    let proxy = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .expectRequest, .respond(body: "hello"), .expectEnd,
    ])
    let wire = try makeWire(through: proxy)
    let route = Route(host: "origin.test", port: 80)
    let stream = try wire.open(route)
    let detached: PreparedConnection = try #require(wire.onLoop { transport in stream.task.detach()?.connection })
    let request = OutgoingRequest(
      head: try RequestHead(method: .get, target: "http://origin.test/"), framing: .none, route: route,
      prepared: detached)
    let outcome = try wire.run(request)
    #expect(outcome.received == Array("hello".utf8))
    #expect(proxy.requests.map(\.target) == ["/"])
    #expect(outcome.metrics.marks[.proxyConnectEnd] != nil)
  }

  // MARK: Failures

  @Test("A refused tunnel says what the proxy said", arguments: [403, 502])
  func refusedTunnel(status: Int) throws {
    let proxy = try ScriptedOrigin([.expectHead, .respond("\(status) No", body: "because"), .expectEnd])
    let wire = try makeWire(through: proxy)
    let outcome = try wire.start(Route(host: "origin.test", port: 443)).wait()
    let error = try #require(outcome.error)
    #expect(error.kind == .tunnelRefused(status))
    #expect(error.origin == .proxy)
    #expect(error.phase == .connect)
    #expect(error.message.contains("upstream proxy 127.0.0.1:\(proxy.port): no tunnel to origin.test:443: \(status) No"))
    #expect(outcome.metrics.marks[.proxyConnectStart] != nil)
    #expect(outcome.metrics.marks[.proxyConnectEnd] == nil)
  }

  @Test(
    "A proxy that is not there, says nonsense, leaves or is silent is to blame",
    arguments: [
      ([], TransportError.Kind.refused), ([.expectHead, .send("nonsense\r\n\r\n"), .expectEnd], .protocolViolation),
      ([.expectHead, .close], .closed), ([.expectHead, .expectEnd], .timedOut),
      ([.expectHead, .send("HTTP/1.1 200 OK\r\n\r\nearly"), .expectEnd], .protocolViolation),
    ] as [([OriginStep], TransportError.Kind)])
  func blame(script: [OriginStep], kind: TransportError.Kind) throws {
    let authority = try TestAuthority()
    let context = try authority.clientContext()
    let proxy = try ScriptedOrigin(script)
    if kind == .refused { proxy.stop() }
    let wire = try makeWire(through: proxy) { configuration in
      configuration.tls = context
      configuration.connectTimeout = kind == .timedOut ? .milliseconds(100) : .seconds(10)
    }
    let outcome = try wire.run(
      OutgoingRequest(
        head: try RequestHead(method: .get, target: "https://origin.test/"), framing: .none,
        route: Route(host: "origin.test", port: 443, security: .tls(serverName: "origin.test"))))
    let error = try #require(outcome.error)
    #expect(error.kind == kind)
    #expect(error.origin == .proxy)
    #expect(error.phase == .connect)
    #expect(error.message.hasPrefix("upstream proxy 127.0.0.1:\(proxy.port): "))
  }

  @Test("TLS that fails behind the proxy is the origin's failure")
  func originToBlame() throws {
    let authority = try TestAuthority()
    let context = try authority.clientContext()
    let proxy = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .expect(bytes: 5), .send("this is no TLS at all"), .expectEnd,
    ])
    let wire = try makeWire(through: proxy) { $0.tls = context }
    let outcome = try wire.run(
      OutgoingRequest(
        head: try RequestHead(method: .get, target: "https://origin.test/"), framing: .none,
        route: Route(host: "origin.test", port: 443, security: .tls(serverName: "origin.test"))))
    #expect(outcome.error?.origin != .proxy)
    #expect(outcome.error?.phase == .tls)
  }

  @Test("A proxy that is ourselves is a loop")
  func loop() throws {
    let proxy = try ScriptedOrigin([.expectEnd])
    let own = try #require(SocketAddress(literal: "127.0.0.1", port: proxy.port))
    let wire = try makeWire(through: proxy) { $0.refusedPeers = [own] }
    let error = try #require(try wire.run(.get("http://origin.test/", host: "origin.test")).error)
    #expect(error.kind == .loopDetected)
    #expect(error.origin == .proxy)
    #expect(error.message.hasPrefix("upstream proxy \(own): "))
  }
}
