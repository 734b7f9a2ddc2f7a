import TapelineCore
import TapelineHTTP
import TapelineLoop
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

/// What becomes of a request, by its head. Nothing is written to anybody.
@Suite struct RequestDecisionTests {
  /// The decision in words, and the failure that the record got.
  private func decide(
    _ method: HTTPMethod = .get, _ target: String, fields: HeaderFields = HeaderFields(), from peer: String = "127.0.0.1",
    isOfThisUser: Bool = true,
    inside route: Route? = nil, _ configure: (inout ProxyConfiguration) throws -> Void = { _ in }
  ) throws -> (String, ExchangeRecord) {
    let scripted = try ScriptedShard(configure)
    let address = try #require(SocketAddress(literal: peer, port: 9))
    let client = Client(shard: scripted.shard, peer: address, isOfThisUser: isOfThisUser, acceptedAt: .now)
    if let route {
      let opening = client.newRecord(nil, began: nil, at: .now).record
      client.enter(InterceptedTunnel(to: route, opening: opening, prepared: nil, shard: scripted.shard))
    }
    let head = try RequestHead(method: method, target: target, fields: fields)
    let draft = client.record(of: head, began: nil, at: .now)
    let decision = client.decide(about: head, framing: .none, in: &draft.record)
    let words =
      switch decision {
      case .forward(let request): "forward to \(request.route.authority)"
      case .openTunnel(let route): "tunnel to \(route.authority)"
      case .answer(let reply): "answer \(reply.status)"
      case .gatherMetrics: "metrics"
      case .visitLivePage: "live"
      }
    return (words, draft.record)
  }

  @Test(
    "The form of the target says whether the request is forwarded, tunnelled, or for the proxy itself (RFC 9112 3.2)",
    arguments: [
      (HTTPMethod.get, "http://origin.example/", "forward to origin.example"),
      (.connect, "origin.example:443", "tunnel to origin.example:443"),
      (.get, "https://origin.example/", "forward to origin.example"), (.get, "ftp://origin.example/", "answer 400"),
      (.options, "*", "answer 400"), (.trace, "http://origin.example/", "forward to origin.example"),
    ])
  func targets(method: HTTPMethod, target: String, expected: String) throws {
    let (words, record) = try decide(method, target)
    #expect(words == expected)
    #expect((record.failure == nil) == !expected.hasPrefix("answer"))
  }

  @Test("The local pages are for clients that name this machine; their numbers must be gathered")
  func localPages() throws {
    #expect(try decide(.get, "/healthz", fields: ["Host": "localhost"]).0 == "answer 200")
    #expect(try decide(.get, "/metrics", fields: ["Host": "localhost"]).0 == "metrics")
    #expect(try decide(.get, "/", fields: ["Host": "elsewhere.example"]).0 == "answer 421")
  }

  @Test(
    "The live page is for this user, by its key, or for clients with the password",
    arguments: [
      ("/live?key=k1", "live"), ("/live/events?x&key=k1", "live"), ("/devtools?key=k1", "live"), ("/live", "answer 403"),
      ("/live?key=", "answer 403"), ("/live?key=k", "answer 403"), ("/live?key=k12", "answer 403"),
      ("/live?KEY=k1", "answer 403"),
      ("/live/exchange/1?k1", "answer 403"), ("/devtools", "answer 403"), ("/live/mark?k1", "answer 403"),
      ("/livestock", "answer 404"),
    ])
  func livePage(target: String, expected: String) throws {
    let fields: HeaderFields = ["Host": "localhost"]
    let door = LivePageDoor(key: "k1") { _ in }
    #expect(try decide(.get, target, fields: fields) { $0.livePage = door }.0 == expected)
    #expect(try decide(.get, "/live?key=k1", fields: fields).0 == "answer 404")
    #expect(try decide(.get, target, fields: ["Host": "a.example"]) { $0.livePage = door }.0 == "answer 421")
    for peer in ["192.0.2.1", "127.0.0.1"] {
      let stranger = try decide(.get, "/live?key=k1", fields: fields, from: peer, isOfThisUser: false) { $0.livePage = door }
      #expect(stranger.0 == "answer 403")
    }
    let asked = try decide(.get, "/live?key=k1", fields: fields) {
      $0.livePage = door
      $0.access.credentials = ProxyCredentials(pair: "me:secret")
    }
    #expect(asked.0 == "answer 401")
    let known = try decide(
      .get, "/live", fields: ["Host": "localhost", "Authorization": "Basic bWU6c2VjcmV0"], isOfThisUser: false
    ) {
      $0.livePage = door
      $0.access.credentials = ProxyCredentials(pair: "me:secret")
    }
    #expect(known.0 == "live")
    let marked: HeaderFields = ["Host": "localhost", "X-Tapeline-Token": "k1"]
    #expect(try decide(.post, "/live/mark?key=other", fields: marked) { $0.livePage = door }.0 == "live")
  }

  @Test("Another user's program is not taken to this machine's own addresses, and sees the numbers")
  func anotherUser() throws {
    for target in ["http://127.0.0.1:3000/", "http://localhost/", "http://169.254.169.254/"] {
      let (words, record) = try decide(.get, target, isOfThisUser: false)
      #expect(words == "answer 403" && record.failure?.kind == .transport(.destinationProhibited))
    }
    #expect(try decide(.connect, "[::1]:8888", isOfThisUser: false).0 == "answer 403")
    #expect(try decide(.get, "http://origin.example/", isOfThisUser: false).0 == "forward to origin.example")
    #expect(try decide(.get, "/metrics", fields: ["Host": "localhost"], isOfThisUser: false).0 == "metrics")
  }

  @Test("A client without the password is asked for it, and a host that is denied is refused, with the reason in the record")
  func access() throws {
    let (asked, record) = try decide(.get, "http://origin.example/") {
      $0.access.credentials = ProxyCredentials(pair: "me:secret")
    }
    #expect(asked == "answer 407" && record.failure == nil, "a client asks first, and then answers the challenge")
    let (denied, other) = try decide(.connect, "origin.example:443") {
      $0.access.deniedHosts = [DestinationPattern("origin.example")].compactMap(\.self)
    }
    #expect(denied == "answer 403" && other.failure?.kind == .hostDenied)
  }

  @Test("An unknown expectation is passed on, and a last hop is answered here (RFC 9110 10.1.1, 7.6.2)")
  func lastHops() throws {
    #expect(try decide(.get, "http://origin.example/", fields: ["Expect": "miracles"]).0 == "forward to origin.example")
    #expect(try decide(.options, "http://origin.example/", fields: ["Max-Forwards": "0"]).0 == "answer 200")
  }

  @Test("Inside a tunnel a request goes where the tunnel leads, whatever host it names, and a note says so")
  func tunnels() throws {
    let route = Route(host: "origin.example", port: 80)
    let (words, record) = try decide(.get, "/", fields: ["Host": "other.example"], inside: route)
    #expect(words == "forward to origin.example" && record.comment?.contains("other.example") == true)
    #expect(try decide(.get, "https://origin.example/", inside: route).0 == "answer 400")
    #expect(try decide(.connect, "origin.example:80", inside: route).0 == "answer 501")
  }
}
