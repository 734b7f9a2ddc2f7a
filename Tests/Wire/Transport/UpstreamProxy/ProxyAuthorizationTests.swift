import TapelineHTTP
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineTransport

/// What an upstream proxy asks of us (RFC 9110 11.7).
@Suite struct ProxyAuthorizationTests {
  private static let basic = "Basic bWU6c2VjcmV0"
  private static let challenge = #"Proxy-Authenticate: Digest realm="p", nonce="n1", qop="auth", algorithm=SHA-256"#

  private func makeWire(through proxy: ScriptedOrigin) throws -> Wire {
    let upstream = UpstreamProxy(
      host: "127.0.0.1", port: proxy.port, credential: Credential(user: "me", password: "secret"))
    return try Wire { $0.upstreamProxy = upstream }
  }

  private func authorizations(_ proxy: ScriptedOrigin) -> [String] {
    proxy.requests.flatMap { $0.values(of: "Proxy-Authorization") }
  }

  @Test("RFC 9110 11.7.2: Basic is given before it is asked for, in place of the client's own")
  func preemptive() throws {
    let proxy = try ScriptedOrigin([.expectRequest, .respond(), .expectEnd])
    let head = try RequestHead(method: .get, target: "http://origin.test/", fields: ["Proxy-Authorization": "Basic Y2xpZW50"])
    _ = try makeWire(through: proxy).run(
      OutgoingRequest(head: head, framing: .none, route: Route(host: "origin.test", port: 80)))
    #expect(authorizations(proxy) == [Self.basic])
  }

  @Test("RFC 9110 15.5.8: a challenge is answered with the same request, unseen by the task")
  func digest() throws {
    let proxy = try ScriptedOrigin([
      .expectRequest, .respond("407 Proxy Authentication Required", fields: [Self.challenge], body: "who?"), .expectRequest,
      .respond(body: "hello"), .expectRequest, .respond(body: "again"), .expectEnd,
    ])
    let wire = try makeWire(through: proxy)
    let outcome = try wire.run(.get("http://origin.test/", host: "origin.test"))
    #expect(outcome.events == ["head 200", "body hello", "metrics", "complete nil"])
    #expect(outcome.metrics.transactions.map(\.statusCode) == [407, 200])
    #expect(outcome.metrics.redirectCount == 0)
    _ = try wire.run(.get("http://other.test/", host: "other.test"))
    let values = authorizations(proxy)
    #expect(values.first == Self.basic)
    #expect(values.dropFirst().allSatisfy { $0.hasPrefix("Digest username=\"me\", realm=\"p\", nonce=\"n1\"") })
    #expect(values.count == 3)
    #expect(values[1].contains(#"uri="http://origin.test/""#) && values[1].contains("nc=00000001"))
    #expect(values[2].contains(#"uri="http://other.test/""#) && values[2].contains("nc=00000002"))
  }

  @Test("RFC 9110 15.5.8: an answer that is refused is the task's to hear of, where the request is the process's own")
  func refused() throws {
    let proxy = try ScriptedOrigin([
      .forever([.expectRequest, .respond("407 No", fields: [Self.challenge], body: "no")])
    ])
    let outcome = try makeWire(through: proxy).run(.get("http://origin.test/", host: "origin.test", sender: .ourselves))
    #expect(outcome.events == ["head 407", "body no", "metrics", "complete nil"])
    #expect(proxy.requests.count == 2)
  }

  @Test(
    "RFC 9110 15.5.8: a 407 that cannot be answered never reaches a client: it would think that it was asked",
    arguments: [
      (nil, #"Basic realm="p""#, "none was given"), (Credential(user: "me", password: "no"), #"Basic realm="p""#, "refuses"),
      (Credential(user: "me", password: "no"), "Negotiate, NTLM", "only negotiate, ntlm"), (nil, "", "none was given"),
    ] as [(Credential?, String, String)])
  func unanswered(credential: Credential?, challenge: String, reason: String) throws {
    let proxy = try ScriptedOrigin([
      .expectRequest, .respond("407 Who", fields: ["Proxy-Authenticate: \(challenge)"], body: "who?"), .expectEnd,
    ])
    let upstream = UpstreamProxy(host: "127.0.0.1", port: proxy.port, credential: credential)
    let outcome = try Wire { $0.upstreamProxy = upstream }.run(.get("http://origin.test/", host: "origin.test"))
    let error = try #require(outcome.error)
    #expect(error.kind == .proxyAuthenticationRequired)
    #expect(error.origin == .proxy)
    #expect(error.message.hasPrefix("upstream proxy 127.0.0.1:\(proxy.port): "))
    #expect(error.message.contains(reason))
    #expect(!outcome.events.contains("head 407"))
    #expect(outcome.metrics.transactions.last?.statusCode == 407)
  }

  @Test("RFC 9110 15.5.8: a client's body that is on its way cannot be sent twice, and what was learned serves the next request")
  func clientsBody() throws {
    let proxy = try ScriptedOrigin { number in
      number == 0
        ? [.expectRequest, .respond("407 Who", fields: [Self.challenge]), .expectEnd]
        : [.expectRequest, .respond(body: "hello"), .expectEnd]
    }
    let wire = try makeWire(through: proxy)
    let head = try RequestHead(method: .post, target: "http://origin.test/")
    let request = OutgoingRequest(head: head, framing: .length(3), route: Route(host: "origin.test", port: 80))
    let first = try wire.run(request, body: [1, 2, 3])
    #expect(first.error?.kind == .proxyAuthenticationRequired)
    #expect(first.error?.message.contains("a repeated request") == true)
    #expect(try wire.run(request, body: [1, 2, 3]).received == Array("hello".utf8))
    #expect(authorizations(proxy).map { $0.prefix(6) } == ["Basic ", "Digest"])
  }

  @Test("RFC 9110 15.5.8: a request with a body is the task's to repeat")
  func body() throws {
    let proxy = try ScriptedOrigin([
      .expectRequest, .respond("407 Who", fields: [Self.challenge]), .expectRequest, .respond(body: "hello"), .expectEnd,
    ])
    let head = try RequestHead(method: .post, target: "http://origin.test/")
    let request = OutgoingRequest(
      head: head, framing: .length(3), route: Route(host: "origin.test", port: 80), sender: .ourselves)
    let outcome = try makeWire(through: proxy).run(request, body: [1, 2, 3]) { task, head in
      guard head.status == 407, task.proxyChallengeIsAnswerable else { return .proceed }
      task.decide(.repeat(request, redirected: false))
      return .later
    }
    #expect(outcome.events.first == "head 407")
    #expect(outcome.received == Array("hello".utf8))
    #expect(proxy.requests.map(\.body) == [[1, 2, 3], [1, 2, 3]])
  }

  @Test("RFC 9110 9.3.6: a CONNECT is challenged and repeated, on the same connection", arguments: ["", "Connection: close"])
  func tunnel(field: String) throws {
    let refusal: [OriginStep] = [
      .expectRequest, .respond("407 Who", fields: [Self.challenge] + (field.isEmpty ? [] : [field]), body: "who?"),
    ]
    let opening: [OriginStep] = [.expectRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .expect(bytes: 2), .send("ok"), .expectEnd]
    let proxy = try ScriptedOrigin { number in
      field.isEmpty ? refusal + opening : number == 0 ? refusal + [.close] : opening
    }
    let wire = try makeWire(through: proxy)
    let run = try wire.open(Route(host: "origin.test", port: 443))
    run.send("hi")
    #expect(try run.waitForBytes(2) == Array("ok".utf8))
    run.task.cancel()
    _ = try run.wait()
    #expect(proxy.connections.count == (field.isEmpty ? 1 : 2))
    let values = authorizations(proxy)
    #expect(values.count == 2 && values[0] == Self.basic && values[1].contains(#"uri="origin.test:443""#))
  }

  @Test("RFC 9110 9.3.6: a CONNECT that is refused again fails")
  func refusedTunnel() throws {
    let proxy = try ScriptedOrigin([.forever([.expectRequest, .respond("407 No", fields: [Self.challenge], body: "no")])])
    let wire = try makeWire(through: proxy)
    let outcome = try wire.start(Route(host: "origin.test", port: 443)).wait()
    #expect(outcome.error?.kind == .proxyAuthenticationRequired)
    #expect(proxy.requests.count == 2)
  }
}
