import TapelineCore
import TapelineHTTP
import TapelineLoop
import TapelineTLS
import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineProxy

/// Clients that know no proxy, at an address that leads to one origin.
@Suite("Addresses that lead to an origin") struct ReverseTests {
  private func listener(to origin: String, keepsHost: Bool = false) throws -> ReverseListener {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    var place = try #require(ReverseOrigin(origin))
    place.toldHost = keepsHost ? .keep : .rewrite
    place.names = try ["www.example", "front.example", "a"].map { try #require(HostPattern($0)) }
    return ReverseListener(address: address, origin: place)
  }

  private func connect(_ proxy: ProxyHarness) throws -> RawClient {
    try RawClient(port: try #require(proxy.server.reverse.first).address.port)
  }

  @Test(
    "The origin's URL has a scheme, a host and perhaps a port",
    arguments: [
      ("http://api.example", "http://api.example"), ("https://api.example:443/", "https://api.example"),
      ("http://[::1]:8080", "http://[::1]:8080"), ("HTTPS://API.example:8443", "https://api.example:8443"),
    ])
  func urls(text: String, expected: String) {
    #expect(ReverseOrigin(text)?.description == expected)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "api.example", "ftp://api.example", "http://", "http://a/b", "http://a?b", "http://me@a", "http://a:0", "http://a#b",
    ])
  func refused(text: String) {
    #expect(ReverseOrigin(text) == nil)
  }

  @Test("Requests in origin-form go there, with its host; the entry says so, and what was changed", arguments: [false, true])
  func requests(keepsHost: Bool) throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "hello")])])
    let listener = try listener(to: "http://\(origin.authority)", keepsHost: keepsHost)
    let proxy = try ProxyHarness { $0.reverse = [listener] }
    let client = try connect(proxy)
    for path in ["/a?b", "/c"] {
      try client.send("GET \(path) HTTP/1.1\r\nHost: www.example\r\nX-Mine: yes\r\n\r\n")
      #expect(try client.receiveResponse().body == Array("hello".utf8))
    }
    #expect(origin.requests.map(\.startLine) == ["GET /a?b HTTP/1.1", "GET /c HTTP/1.1"])
    #expect(
      origin.requests.map { $0.value(of: "Host") } == Array(repeating: keepsHost ? "www.example" : origin.authority, count: 2))
    #expect(origin.connections.count == 1)
    let record = try #require(try proxy.records(2).first)
    #expect(record.request?.urlText(implied: record.implied) == origin.url("/a?b"))
    #expect(record.door == .reverse(origin: "http://\(origin.authority)"))
    #expect(record.comment == nil && record.failure == nil)
    let head = try #require(record.request)
    #expect(record.requestForwarding?.changes(of: head) == (keepsHost ? [] : [.rewritten(0, to: origin.authority)]))
  }

  @Test(
    "RFC 9110 7.4: an address answers to the names of this machine, of its origin, and those that the user names; a name that somebody points here gets 421",
    arguments: [
      ("127.0.0.1:9", 200), ("[::1]", 200), ("localhost:9", 200), ("a.localhost", 200), ("workbench:9", 200),
      ("origin.test", 200),
      ("ORIGIN.test.", 200), ("www.example:9", 200), ("evil.example", 421), ("127.0.0.1.evil.example", 421),
      ("a.www.example", 421), ("localhost.", 421), ("origin.test.evil.example:80", 421),
    ])
  func names(host: String, status: Int) throws {
    var origin = try #require(ReverseOrigin("http://origin.test"))
    origin.names = [try #require(HostPattern("www.example"))]
    let name = try #require(try RequestHead(method: .get, target: "/", fields: ["Host": host]).namedHost)
    #expect(origin.answers(to: name, hostName: "workbench") == (status == 200))
    origin.toldHost = .keep
    #expect(origin.answers(to: name, hostName: "workbench"), "its origin judges the name itself")
    let server = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "hello")])])
    let listener = try listener(to: "http://\(server.authority)")
    let proxy = try ProxyHarness { $0.reverse = [listener] }
    for line in ["GET / HTTP/1.1\r\nHost: \(host)", "GET http://\(host)/ HTTP/1.1\r\nHost: 127.0.0.1"] where status == 421 {
      let client = try connect(proxy)
      try client.send("\(line)\r\n\r\n")
      #expect(try client.receiveResponse().status == 421)
    }
    #expect(server.requests.isEmpty)
  }

  @Test("It opens no tunnels, knows no SOCKS, and obeys the rules for hosts")
  func refusals() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond()])])
    let listener = try listener(to: "http://\(origin.authority)")
    let proxy = try ProxyHarness {
      $0.reverse = [listener]
      $0.access.credentials = ProxyCredentials(pair: "me:secret")
    }
    let tunnel = try connect(proxy)
    try tunnel.send("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
    #expect(try tunnel.receiveResponse(to: "CONNECT").status == 501)
    let socks = try connect(proxy)
    try socks.send([5, 1, 0])
    try socks.send("\r\n\r\n")
    #expect(try socks.receiveResponse().status == 400)
    // Its clients know no proxy, and so no password.
    let request = try connect(proxy)
    try request.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try request.receiveResponse().status == 200)
    let denying = try ProxyHarness {
      $0.reverse = [listener]
      $0.access.deniedHosts = [DestinationPattern("127.0.0.1")].compactMap(\.self)
    }
    let denied = try connect(denying)
    try denied.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try denied.receiveResponse().status == 403)
  }

  @Test("A client that speaks TLS gets a certificate for the name that it asks for; the origin must prove its own")
  func tls() throws {
    let authorities = try Authorities.shared.get()
    let origin = try ScriptedOrigin([authorities.echo()])
    let listener = try listener(to: "https://localhost:\(origin.port)")
    let proxy = try ProxyHarness.intercepting { configuration, _ in configuration.reverse = [listener] }
    let stream = try authorities.client(over: try connect(proxy), serverName: "front.example")
    try stream.connect()
    #expect(stream.parameters.certificate?.names == ["front.example"])
    try stream.send("GET /secret HTTP/1.1\r\nHost: front.example\r\n\r\n")
    let answer = try stream.receiveMessage()
    #expect(answer.head.hasPrefix("HTTP/1.1 200 "))
    let record = try #require(try proxy.records(1).first)
    #expect(record.request?.urlText(implied: record.implied) == "https://localhost:\(origin.port)/secret")
    #expect(record.serverTLS?.serverName == "localhost" && record.clientTLS?.serverName == "front.example")
    #expect(record.door == .reverse(origin: "https://localhost:\(origin.port)"))
  }

  @Test("TLS ends here where the origin has none")
  func tlsToClear() throws {
    let authorities = try Authorities.shared.get()
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "clear")])])
    let listener = try listener(to: "http://\(origin.authority)")
    let proxy = try ProxyHarness.intercepting { configuration, _ in configuration.reverse = [listener] }
    let stream = try authorities.client(over: try connect(proxy), serverName: "front.example")
    try stream.connect()
    try stream.send("GET /x HTTP/1.1\r\nHost: front.example\r\n\r\n")
    #expect(try stream.receiveMessage().body == "clear")
    let record = try #require(try proxy.records(1).first)
    #expect(record.request?.urlText(implied: record.implied) == origin.url("/x"))
  }

  @Test("Where nothing is decrypted, TLS to an origin that has it is relayed, and TLS to another is refused")
  func withoutInterception() throws {
    let authorities = try Authorities.shared.get()
    let origin = try ScriptedOrigin([authorities.echo()])
    let listener = try listener(to: "https://localhost:\(origin.port)")
    let proxy = try ProxyHarness { $0.reverse = [listener] }
    let raw = try connect(proxy)
    let stream = try authorities.client(over: raw, trusting: .origins)
    try stream.connect()
    raw.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.unread == .notIntercepted && record.serverTLS?.serverName == "localhost")
    let clear = try self.listener(to: "http://\(origin.authority)")
    let refusing = try ProxyHarness { $0.reverse = [clear] }
    let refused = try connect(refusing)
    try authorities.client(over: refused).sendHello()
    #expect(try refused.receiveToEnd().bytes == [21, 3, 3, 0, 2, 2, 112])
    #expect(try refusing.records(1).first?.failure?.kind.name == "tls-to-proxy")
  }

  @Test("A head of HTTP/2 for another host than the client named says so")
  func authority() throws {
    let head = try RequestHead(method: .get, target: "http://front.example/x", version: .http2, fields: HeaderFields())
    var forwarding = RequestForwarding(framing: .none, version: .http2)
    forwarding.host = "api.example"
    #expect(forwarding.changes(of: head) == [.authority("front.example", to: "api.example")])
  }
}
