import TapelineCore
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

/// Clients that name their destination by SOCKS, over sockets.
@Suite("SOCKS clients") struct SOCKSTests {
  private func request(_ host: String, _ port: UInt16) -> [UInt8] {
    [5, 1, 0, 5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [UInt8(port >> 8), UInt8(port & 0xFF)]
  }

  private static let succeeded: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

  private func origin() throws -> ScriptedOrigin {
    try ScriptedOrigin([.forever([.expectRequest, .respond(body: "hello")])])
  }

  @Test("HTTP in clear is read and recorded even if nothing is decrypted, and says through which door it came")
  func http() throws {
    let origin = try origin()
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    // All at once, as some clients do.
    try client.send(request("127.0.0.1", origin.port) + Array("GET /x HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n".utf8))
    #expect(try client.receive(exactly: 12) == [5, 0] + Self.succeeded)
    #expect(try client.receiveResponse().body == Array("hello".utf8))
    try client.send("GET /y HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    #expect(try client.receiveResponse().body == Array("hello".utf8))
    client.close()
    let records = try proxy.records(2)
    #expect(records.map { $0.request?.urlText(implied: $0.implied) } == [origin.url("/x"), origin.url("/y")])
    #expect(records.map(\.door) == [.socks(.v5), .socks(.v5)])
    #expect(records[0].marks[.tunnelHeadEnd] != nil && records[1].marks[.tunnelHeadEnd] == nil)
    #expect(origin.connections.count == 1)
  }

  @Test("TLS that is not decrypted, and anything else, is a timed tunnel")
  func tunnel() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 4), .send("pong"), .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send([4, 1, UInt8(origin.port >> 8), UInt8(origin.port & 0xFF), 0, 0, 0, 1, 0] + Array("localhost".utf8) + [0])
    #expect(try client.receive(exactly: 8) == [0, 90, 0, 0, 0, 0, 0, 0])
    try client.send("ping")
    #expect(try client.receive(exactly: 4) == Array("pong".utf8))
    client.close()
    let record = try #require(try proxy.records(1).first)
    guard case .tunnel(4, 4) = record.kind else {
      Issue.record("\(record.kind)")
      return
    }
    #expect(record.door == .socks(.v4a) && record.socksReply == .succeeded && record.localStatus == nil)
    #expect(record.unread == .notTLS && record.request?.urlText() == "localhost:\(origin.port)")
  }

  @Test("A server that speaks first is heard")
  func serverFirst() throws {
    let origin = try ScriptedOrigin([.send("220 ready\r\n"), .expect(bytes: 4), .close])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(request("127.0.0.1", origin.port))
    #expect(try client.receive(exactly: 12) == [5, 0] + Self.succeeded)
    #expect(try client.receive(exactly: 11) == Array("220 ready\r\n".utf8))
    try client.send("QUIT")
    #expect(try client.receiveToEnd().bytes.isEmpty)
  }

  @Test("TLS is intercepted as it is after a CONNECT")
  func intercepted() throws {
    let authorities = try Authorities.shared.get()
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.connect()
    try client.send(request("localhost", origin.port))
    _ = try client.receive(exactly: 12)
    let stream = try authorities.client(over: client)
    try stream.connect()
    try stream.send("GET /secret HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try stream.receiveMessage()
    let record = try #require(try proxy.records(1).first)
    #expect(record.request?.urlText(implied: record.implied) == "https://localhost:\(origin.port)/secret")
    #expect(record.door == .socks(.v5) && record.clientTLS != nil)
  }

  @Test("The failure of a connection has its own code, and an entry")
  func failures() throws {
    let closed = try ScriptedOrigin([.close])
    let port = closed.port
    closed.stop()
    let proxy = try ProxyHarness()
    for (host, reply) in [("127.0.0.1", SOCKSReply.connectionRefused), ("nowhere.invalid", .hostUnreachable)] {
      let client = try proxy.connect()
      try client.send(request(host, port))
      #expect(try client.receiveToEnd().bytes == [5, 0, 5, reply.rawValue, 0, 1, 0, 0, 0, 0, 0, 0])
    }
    let records = try proxy.records(2)
    #expect(records.map(\.socksReply) == [.connectionRefused, .hostUnreachable])
    #expect(records.map { $0.failure?.kind.name } == ["refused", "name-not-found"])
  }

  @Test("The rules of access hold, and a tunnel to the proxy itself is refused")
  func access() throws {
    let proxy = try ProxyHarness { $0.access.deniedHosts = [DestinationPattern("denied.example")].compactMap(\.self) }
    for (host, port) in [("denied.example", UInt16(80)), ("127.0.0.1", proxy.port)] {
      let client = try proxy.connect()
      try client.send(request(host, port))
      #expect(try client.receiveToEnd().bytes == [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0])
    }
    #expect(try proxy.records(2).map { $0.failure?.kind.name } == ["host-denied", "loop-detected"])
    #expect(try proxy.records(2).allSatisfy { $0.socksReply == .notAllowed })
  }

  @Test("RFC 1929 2: the proxy's name and password are asked for, and never recorded")
  func passwords() throws {
    let origin = try origin()
    let proxy = try ProxyHarness { $0.access.credentials = ProxyCredentials(pair: "me:s3cret") }
    func attempt(_ password: String) throws -> RawClient {
      let client = try proxy.connect()
      let pair: [UInt8] = [1, 2] + Array("me".utf8) + [UInt8(password.utf8.count)] + Array(password.utf8)
      try client.send([5, 1, 2] + pair + Array(request("127.0.0.1", origin.port).dropFirst(3)))
      #expect(try client.receive(exactly: 2) == [5, 2])
      return client
    }
    let wrong = try attempt("guess")
    #expect(try wrong.receiveToEnd().bytes == [1, 1])
    let right = try attempt("s3cret")
    #expect(try right.receive(exactly: 12) == [1, 0] + Self.succeeded)
    try right.send("GET / HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    #expect(try right.receiveResponse().status == 200)
    let none = try proxy.connect()
    try none.send([5, 1, 0])
    #expect(try none.receiveToEnd().bytes == [5, 0xFF])
    let records = try proxy.records(3)
    #expect(records.map { $0.failure?.kind.name } == ["proxy-authentication-required", nil, "proxy-authentication-required"])
    #expect(!records.contains { "\($0)".contains("s3cret") || "\($0)".contains("guess") })
  }

  @Test("Commands other than CONNECT, and malformed greetings, are entries")
  func refusals() throws {
    let proxy = try ProxyHarness()
    for (bytes, answer): ([UInt8], [UInt8]) in [
      ([5, 1, 0, 5, 3, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0]), ([5, 0], [5, 0xFF]),
    ] {
      let client = try proxy.connect()
      try client.send(bytes)
      #expect(try client.receiveToEnd().bytes == answer)
    }
    let unfinished = try proxy.connect()
    try unfinished.send([5, 1])
    unfinished.close()
    let records = try proxy.records(3)
    #expect(records.map { $0.failure?.kind.name } == ["unsupported-command", "malformed-socks", "closed"])
    #expect(records.map(\.socksReply) == [.commandNotSupported, nil, nil])
  }

  @Test("A client that says nothing more is given up as other greetings are")
  func slow() throws {
    let proxy = try ProxyHarness { $0.headerTimeout = .milliseconds(50) }
    let client = try proxy.connect()
    try client.send([5, 2, 0])
    #expect(try client.receiveToEnd().bytes.isEmpty)
    #expect(try proxy.records(1).first?.failure?.option == "--header-timeout")
  }
}
