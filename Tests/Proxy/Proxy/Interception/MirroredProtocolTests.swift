import TapelineCore
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

/// The application protocols of both legs: the origin is offered what the client offers, and the client gets what the origin
/// chose.
@Suite struct MirroredProtocolTests {
  private static let both: [ApplicationProtocol] = [.http2, .http11]

  private let authorities: Authorities

  init() throws {
    authorities = try Authorities.shared.get()
  }

  /// Answers handshakes with the first of `protocols` that is offered, and keeps the connection.
  private func origin(
    preferring protocols: [ApplicationProtocol], as host: String = "localhost"
  ) throws -> ScriptedOrigin {
    let context = try TLSServerContext(applicationProtocols: protocols)
    return try ScriptedOrigin(scripts: { [authorities] _ in
      [
        authorities.secure(as: host, by: context) { stream in
          guard stream.parameters.applicationProtocol != .http2 else { return _ = try stream.receiveToEnd() }
          while !stream.wasEnded {
            try stream.receive(through: "\r\n\r\n")
            try stream.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          }
        }
      ]
    })
  }

  private func stream(
    through proxy: ProxyHarness, to origin: ScriptedOrigin, offering protocols: [ApplicationProtocol],
    policy: TLSPolicy = .secure
  ) throws -> SecureStream {
    let stream = try authorities.client(over: try proxy.tunnel(to: origin), protocols: protocols, policy: policy)
    try stream.connect()
    return stream
  }

  /// The protocols in the hello that the origin got first.
  private func offers(to origin: ScriptedOrigin) throws -> [ApplicationProtocol] {
    let connection = try #require(origin.connections.first)
    guard case .hello(let hello) = ClientHello.peek(connection.received.span) else { throw ProxyHarness.Overdue() }
    return hello.applicationProtocols
  }

  // MARK: Clients that offer both

  @Test("RFC 7301 3.2: the origin's choice is the client's", arguments: [TLSVersion.tls12, .tls13], both)
  func theOriginsChoiceIsTheClients(version: TLSVersion, chosen: ApplicationProtocol) throws {
    let origin = try origin(preferring: chosen == .http2 ? Self.both : [.http11])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let policy = TLSPolicy(minimumVersion: version, maximumVersion: version)
    let stream = try stream(through: proxy, to: origin, offering: Self.both, policy: policy)
    #expect(stream.parameters.applicationProtocol == chosen)
    #expect(stream.parameters.version == version)
    #expect(try offers(to: origin) == Self.both)
    #expect(origin.connections.count == 1)
    if chosen == .http11 {
      try stream.send("GET / HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
      #expect(try stream.receiveMessage().body == "ok")
      let record = try #require(try proxy.records(1).first)
      #expect(record.clientTLS?.applicationProtocol == "http/1.1")
      #expect(record.clientTLS?.offeredProtocols == ["h2", "http/1.1"])
      #expect(record.clientTLS?.passedProtocols == ["h2", "http/1.1"])
      #expect(record.serverTLS?.applicationProtocol == "http/1.1")
      let order: [TimelineMark] = [
        .tunnelHeadEnd, .connectEnd, .clientTLSStart, .tlsStart, .tlsEnd, .clientTLSEnd, .requestHeadEnd, .sentFirst,
      ]
      let instants = try order.map { try #require(record.marks[$0], "\($0)") }
      #expect(instants == instants.sorted(), "the client's handshake waits for the origin's")
      let phases = ExchangePhases(record.marks)
      #expect(phases.total == record.marks[.responseLastByte]?.nanoseconds(since: instants[0]))
    }
  }

  @Test("RFC 7301 3.2: the origin's choice is the client's where TLS comes without CONNECT, too", arguments: both)
  func direct(chosen: ApplicationProtocol) throws {
    let context = try TLSServerContext(applicationProtocols: chosen == .http2 ? Self.both : [.http11])
    // An upstream proxy, behind which any name leads to this origin.
    let origin = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"),
      authorities.secure(as: "origin.test", by: context) { _ = try $0.receiveToEnd() },
    ])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true) { configuration, _ in
      configuration.upstreamProxy = UpstreamProxy(host: "127.0.0.1", port: origin.port)
    }
    let stream = try authorities.client(over: try proxy.connect(), serverName: "origin.test", protocols: Self.both)
    try stream.connect()
    #expect(stream.parameters.applicationProtocol == chosen)
    #expect(origin.connections.count == 1)
  }

  @Test("TLS that comes without CONNECT is answered although its origin does not answer in time")
  func directWithoutOrigin() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true) { configuration, _ in
      configuration.protocolPatience = .milliseconds(10)
      configuration.upstreamProxy = UpstreamProxy(host: "127.0.0.1", port: origin.port)
    }
    let stream = try authorities.client(over: try proxy.connect(), serverName: "origin.test", protocols: Self.both)
    try stream.connect()
    #expect(stream.parameters.applicationProtocol == .http2)
  }

  @Test("RFC 7301 3.1: the origin is offered what the client offers, in its order")
  func theOriginIsOfferedWhatTheClientPrefersFirst() throws {
    let origin = try origin(preferring: Self.both)
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let stream = try stream(through: proxy, to: origin, offering: [.http11, .http2])
    #expect(stream.parameters.applicationProtocol == .http2)
    #expect(try offers(to: origin) == [.http11, .http2])
  }

  @Test func anOriginThatIsRefusedLeavesHTTP2() throws {
    let origin = try origin(preferring: [.http11], as: "other.example")
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let stream = try stream(through: proxy, to: origin, offering: Self.both)
    #expect(stream.parameters.applicationProtocol == .http2)
  }

  @Test func anOriginThatEndsInItsHandshakeLeavesHTTP2() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .close])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let stream = try stream(through: proxy, to: origin, offering: Self.both)
    #expect(stream.parameters.applicationProtocol == .http2)
  }

  @Test func anOriginThatDoesNotAnswerInTimeLeavesHTTP2() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true) { configuration, _ in
      configuration.protocolPatience = .milliseconds(10)
    }
    let stream = try stream(through: proxy, to: origin, offering: Self.both)
    #expect(stream.parameters.applicationProtocol == .http2)
  }

  @Test func withoutAConnectionToTheOriginItIsHTTP2() throws {
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let stream = try authorities.client(over: try proxy.connect(), serverName: "nowhere.invalid", protocols: Self.both)
    try stream.connect()
    #expect(stream.parameters.applicationProtocol == .http2)
  }

  @Test(arguments: both) func whereConnectionsAreSharedTheOriginsChoiceCountsToo(chosen: ApplicationProtocol) throws {
    let origin = try origin(preferring: chosen == .http2 ? Self.both : [.http11])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true) { configuration, _ in configuration.sharesConnections = true }
    let stream = try stream(through: proxy, to: origin, offering: Self.both)
    #expect(stream.parameters.applicationProtocol == chosen)
  }

  @Test func aClientThatLeavesUnansweredIsAnEntry() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .expectEnd])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true) { configuration, _ in
      configuration.protocolPatience = .seconds(60)
    }
    let client = try proxy.tunnel(to: origin)
    try authorities.client(over: client, protocols: Self.both).sendHello()
    client.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.origin == .client)
    #expect(record.failure?.phase == .tls)
    #expect(record.marks[.clientTLSEnd] == nil)
    _ = try origin.waitForFinished(1)
  }

  @Test func theWaitForTheOriginIsNotTheClients() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true) { configuration, _ in
      configuration.headerTimeout = .milliseconds(50)
      configuration.protocolPatience = .milliseconds(200)
    }
    let client = try proxy.tunnel(to: origin)
    let stream = try authorities.client(over: client, protocols: Self.both)
    try stream.sendHello()
    // The first record of the answer; from then on the client lets its own time pass.
    #expect(try stream.receiveRecord().first == 22)
    #expect(try proxy.records(1).first?.failure?.kind.name == "timed-out")
  }

  // MARK: Clients that leave no choice

  @Test(arguments: [[.http11], both] as [[ApplicationProtocol]])
  func aClientThatOffersHTTP2AloneGetsIt(preferred: [ApplicationProtocol]) throws {
    let origin = try origin(preferring: preferred)
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let stream = try stream(through: proxy, to: origin, offering: [.http2])
    #expect(stream.parameters.applicationProtocol == .http2)
    #expect(stream.parameters.certificate?.names == ["localhost"])
  }

  @Test func aClientThatOffersHTTP1AloneGetsIt() throws {
    let origin = try origin(preferring: Self.both)
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let stream = try stream(through: proxy, to: origin, offering: [.http11])
    #expect(stream.parameters.applicationProtocol == .http11)
    try stream.send("GET / HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    #expect(try stream.receiveMessage().body == "ok")
    #expect(try offers(to: origin) == [.http11])
  }

  @Test func aClientWithoutALPNMeetsAnOriginWithoutIt() throws {
    let origin = try origin(preferring: Self.both)
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let stream = try stream(through: proxy, to: origin, offering: [])
    #expect(stream.parameters.applicationProtocol == nil)
    try stream.send("GET / HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    #expect(try stream.receiveMessage().body == "ok")
    #expect(try offers(to: origin) == [])
  }

  @Test func aClientThatOffersNeitherIsRelayed() throws {
    let other = ApplicationProtocol(name: "acme-tls/1")
    let origin = try origin(preferring: [other])
    let proxy = try ProxyHarness.intercepting(speaksHTTP2: true)
    let client = try proxy.tunnel(to: origin)
    let stream = try authorities.client(over: client, trusting: .origins, protocols: [other])
    try stream.connect()
    client.close()
    #expect(try proxy.records(1).first?.unread == .h2Only)
  }

  // MARK: Without HTTP/2

  @Test func withoutHTTP2NobodyWaits() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.intercepting { configuration, _ in configuration.protocolPatience = .seconds(60) }
    let stream = try stream(through: proxy, to: origin, offering: Self.both)
    #expect(stream.parameters.applicationProtocol == .http11)
    try stream.shutdownOutput()
    let record = try #require(try proxy.records(1).first)
    #expect(record.clientTLS?.offeredProtocols == ["h2", "http/1.1"])
    #expect(record.clientTLS?.passedProtocols == ["http/1.1"])
    // Nobody has waited for the origin's handshake: its hello is there when the connection has ended.
    _ = try origin.waitForFinished(1)
    #expect(try offers(to: origin) == [.http11])
  }

  @Test func withoutHTTP2AClientThatOffersItAloneIsRelayed() throws {
    let origin = try origin(preferring: Self.both)
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    let stream = try authorities.client(over: client, trusting: .origins, protocols: [.http2])
    try stream.connect()
    #expect(stream.parameters.applicationProtocol == .http2)
    client.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.unread == .h2Only)
    #expect(record.comment == "passed through: the client offers only h2, which is not decrypted")
  }
}
