import FoundationEssentials
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Challenges to a session's requests, on sockets (RFC 9110 11, RFC 7616, RFC 7617).
@Suite struct AuthenticationTests {
  private static let basic = "Basic bWU6c2VjcmV0"
  private static let basicChallenge = #"WWW-Authenticate: Basic realm="r", charset="UTF-8""#
  private static let digestChallenge =
    #"WWW-Authenticate: Digest realm="r", qop="auth", algorithm=SHA-256, nonce="n1", opaque="o""#

  private static func challenge(_ field: String) -> OriginStep {
    .respond("401 Unauthorized", fields: [field], body: "who?")
  }

  private func makeOrigin(_ steps: OriginStep...) throws -> ScriptedOrigin {
    try ScriptedOrigin(steps.flatMap { [.expectRequest, $0] } + [.expectEnd])
  }

  private func authorizations(_ origin: ScriptedOrigin) -> [String] {
    origin.requests.map { $0.values(of: "Authorization").first ?? "-" }
  }

  private func outcome(
    _ session: Session, _ url: String, _ credential: Credential? = Credential(user: "me", password: "secret"),
    headers: HTTPHeaders? = nil
  ) throws -> Outcome {
    let request = session.request(url, headers: headers, shouldAutomaticallyResume: false)
    if let credential { request.authenticate(with: credential) }
    let awaited = request.awaitedOutcome()
    request.resume()
    return try awaited.wait()
  }

  // MARK: Basic

  @Test("RFC 7617 2: a challenge is answered, and the next request is not challenged")
  func basic() throws {
    let origin = try makeOrigin(Self.challenge(Self.basicChallenge), .respond(body: "one"), .respond(body: "two"))
    let session = Session()
    let first = try outcome(session, origin.url("/a"))
    #expect(first.value == "one")
    #expect(first.timing.metrics?.redirectCount == 0)
    #expect(first.timing.metrics?.transactions.map(\.statusCode) == [401, 200])
    #expect(try outcome(session, origin.url("/b"), nil).value == "two")
    #expect(authorizations(origin) == ["-", Self.basic, Self.basic])
    #expect(origin.connections.count == 1)
  }

  @Test("A credential without persistence is for one request")
  func noPersistence() throws {
    let origin = try makeOrigin(Self.challenge(Self.basicChallenge), .respond(body: "one"), .respond(body: "two"))
    let session = Session()
    _ = try outcome(session, origin.url(), Credential(user: "me", password: "secret", persistence: .none))
    _ = try outcome(session, origin.url(), nil)
    #expect(authorizations(origin) == ["-", Self.basic, "-"])
  }

  @Test("Without a credential, the 401 is the response")
  func none() throws {
    let origin = try makeOrigin(Self.challenge(Self.basicChallenge))
    let outcome = try outcome(Session(), origin.url(), nil)
    #expect(outcome.response?.statusCode == 401)
    #expect(outcome.value == "who?")
  }

  @Test("RFC 9110 15.5.2: a wrong password is given once", arguments: [basicChallenge, digestChallenge])
  func wrongPassword(challenge: String) throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, Self.challenge(challenge)])])
    let outcome = try outcome(Session(), origin.url())
    #expect(outcome.response?.statusCode == 401)
    #expect(origin.requests.count == 2)
  }

  @Test("An unsupported scheme makes the 401 the response")
  func unknownScheme() throws {
    let origin = try makeOrigin(Self.challenge("WWW-Authenticate: Negotiate"))
    #expect(try outcome(Session(), origin.url()).response?.statusCode == 401)
  }

  // MARK: Where credentials come from

  @Test("RFC 3986 3.2.1: name and password in the URL answer a challenge, and go nowhere else")
  func userinfo() throws {
    let origin = try makeOrigin(Self.challenge(Self.basicChallenge), .respond(body: "one"))
    _ = try outcome(Session(), "http://me:secret@\(origin.authority)/a", nil)
    #expect(authorizations(origin) == ["-", Self.basic])
    #expect(origin.requests.map { $0.startLine } == ["GET /a HTTP/1.1", "GET /a HTTP/1.1"])
    #expect(!origin.requests.contains { $0.text.contains("me:") })
  }

  @Test("The session's storage answers for its hosts")
  func storage() throws {
    let origin = try makeOrigin(Self.challenge(Self.basicChallenge), .respond(body: "one"))
    var configuration = SessionConfiguration.default
    configuration.credentials.set(Credential(user: "me", password: "secret"), forHost: "127.0.0.1", realm: "r")
    #expect(try outcome(Session(configuration: configuration), origin.url(), nil).value == "one")
  }

  @Test("The user's own field is left alone until it is refused")
  func ownField() throws {
    let origin = try makeOrigin(Self.challenge(Self.basicChallenge), .respond(body: "one"))
    _ = try outcome(Session(), origin.url(), headers: ["Authorization": "Bearer old"])
    #expect(authorizations(origin) == ["Bearer old", Self.basic])
  }

  @Test("After a redirection, a challenge from another origin gets no answer")
  func crossOrigin() throws {
    let other = try makeOrigin(Self.challenge(Self.basicChallenge))
    let origin = try makeOrigin(
      Self.challenge(Self.basicChallenge), .respond("302 Found", fields: ["Location: \(other.url())"]))
    let outcome = try outcome(Session(), origin.url())
    #expect(outcome.response?.statusCode == 401)
    #expect(authorizations(origin) == ["-", Self.basic])
    #expect(authorizations(other) == ["-"])
  }

  @Test("An answer goes along with a redirection inside its space")
  func sameOrigin() throws {
    let origin = try makeOrigin(
      Self.challenge(Self.basicChallenge), .respond("302 Found", fields: ["Location: /a/c"]), .respond(body: "here"))
    #expect(try outcome(Session(), origin.url("/a/b")).value == "here")
    #expect(authorizations(origin) == ["-", Self.basic, Self.basic])
  }

  // MARK: Digest

  @Test("RFC 7616 3.4: Digest is answered, request after request, with one nonce and a count")
  func digest() throws {
    let origin = try makeOrigin(
      Self.challenge(Self.digestChallenge), .respond(fields: [#"Authentication-Info: nextnonce="n2""#], body: "one"),
      .respond(body: "two"))
    let session = Session()
    #expect(try outcome(session, origin.url("/a?b#c")).value == "one")
    #expect(try outcome(session, origin.url("/d")).value == "two")
    let values = authorizations(origin)
    #expect(values[1].contains(#"uri="/a?b""#) && values[1].contains(#"nonce="n1""#) && values[1].contains("nc=00000001"))
    #expect(values[2].contains(#"uri="/d""#) && values[2].contains(#"nonce="n2""#) && values[2].contains("nc=00000001"))
  }

  @Test("RFC 7616 3.3: a stale nonce is replaced without asking anybody")
  func stale() throws {
    let stale = #"WWW-Authenticate: Digest realm="r", qop="auth", algorithm=SHA-256, nonce="n2", stale=true"#
    let origin = try makeOrigin(Self.challenge(Self.digestChallenge), Self.challenge(stale), .respond(body: "one"))
    #expect(try outcome(Session(), origin.url()).value == "one")
    #expect(authorizations(origin).last?.contains(#"nonce="n2""#) == true)
  }

  @Test("Requests to a server that calls every nonce stale give up")
  func alwaysStale() throws {
    let stale = #"WWW-Authenticate: Digest realm="r", qop="auth", nonce="n", stale=true"#
    let origin = try ScriptedOrigin([.forever([.expectRequest, Self.challenge(stale)])])
    #expect(try outcome(Session(), origin.url()).response?.statusCode == 401)
    #expect(origin.requests.count == 4)
  }

  // MARK: Bodies and proxies

  @Test("A body is sent again with the answer")
  func body() throws {
    let origin = try makeOrigin(Self.challenge(Self.basicChallenge), .respond(body: "thanks"))
    let session = Session()
    let request = session.upload(Data("hello".utf8), to: origin.url()).authenticate(username: "me", password: "secret")
    #expect(try request.awaitedOutcome().wait().value == "thanks")
    #expect(origin.requests.map(\.bodyText) == ["hello", "hello"])
  }

  @Test("RFC 9110 15.5.8: an upstream proxy is answered, with the body again, and the origin's answer beside")
  func upstreamProxy() throws {
    let proxyChallenge = #"Proxy-Authenticate: Digest realm="p", qop="auth", nonce="p1""#
    let proxy = try makeOrigin(
      .respond("407 Proxy Authentication Required", fields: [proxyChallenge]), Self.challenge(Self.basicChallenge),
      .respond(body: "thanks"))
    var configuration = SessionConfiguration.default
    configuration.upstreamProxy = UpstreamProxy(
      host: "127.0.0.1", port: proxy.port, credential: Credential(user: "agent", password: "x"))
    let session = Session(configuration: configuration)
    let request = session.upload(Data("hello".utf8), to: "http://origin.test/")
      .authenticate(username: "me", password: "secret")
    #expect(try request.awaitedOutcome().wait().value == "thanks")
    #expect(proxy.requests.map(\.bodyText) == ["hello", "hello", "hello"])
    #expect(authorizations(proxy) == ["-", "-", Self.basic])
    let proxyAnswers = proxy.requests.map { $0.values(of: "Proxy-Authorization").first ?? "-" }
    #expect(proxyAnswers[0].hasPrefix("Basic ") && proxyAnswers[1].hasPrefix("Digest ") && proxyAnswers[2].hasPrefix("Digest "))
  }
}
