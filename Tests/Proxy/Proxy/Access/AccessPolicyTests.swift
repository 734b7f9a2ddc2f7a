import TapelineCore
import TapelineLoop
import TapelineTestSupport
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

@Suite struct AccessPolicyTests {
  @Test func whoGivesThemTwiceGivesNone() {
    var policy = AccessPolicy()
    policy.credentials = ProxyCredentials(pair: "user:pass")
    let now = MonotonicInstant.now
    #expect(policy.admission(of: ["Basic dXNlcjpwYXNz"], from: "a", at: now) == .admitted)
    #expect(policy.admission(of: ["Basic dXNlcjpwYXNz", "Basic dXNlcjpwYXNz"], from: "a", at: now) == .unknown)
    #expect(policy.admission(of: [], from: "a", at: now) == .unknown)
    #expect(AccessPolicy().admission(of: [], from: "a", at: now) == .admitted)
  }

  @Test func denialWins() throws {
    var policy = AccessPolicy()
    policy.allowedHosts = [try #require(DestinationPattern("*.example.com")), try #require(DestinationPattern("10.0.0.1"))]
    policy.deniedHosts = [try #require(DestinationPattern("private.example.com"))]
    #expect(policy.refusal(toward: Route(host: "www.example.com", port: 80)) == nil)
    #expect(policy.refusal(toward: Route(host: "10.0.0.1", port: 80)) == nil)
    #expect(policy.refusal(toward: Route(host: "private.example.com", port: 80)) == .denied("private.example.com"))
    #expect(policy.refusal(toward: Route(host: "example.org", port: 80)) == .denied("example.org"))
  }

  // MARK: Clients of other machines

  private func refusal(_ host: String, port: UInt16 = 80, allowing: [String] = []) throws -> AccessPolicy.Refusal? {
    try policy(allowing).refusal(toward: Route(host: host, port: port, reach: .guarded))
  }

  private func policy(_ allowed: [String]) throws -> AccessPolicy {
    var policy = AccessPolicy()
    policy.allowedHosts = try allowed.map { try #require(DestinationPattern($0)) }
    return policy
  }

  @Test("What only this machine can reach is not for others, and is for this machine's own programs")
  func protection() throws {
    #expect(try refusal("127.0.0.1") == .protected(.thisMachine))
    #expect(try refusal("localhost") == .protected(.thisMachine))
    #expect(try refusal("169.254.169.254") == .protected(.cloudMetadata))
    #expect(try refusal("metadata.google.internal") == .protected(.cloudMetadata))
    #expect(try refusal("fe80::1") == .protected(.linkLocal))
    #expect(try refusal("192.0.2.200") == nil)
    #expect(AccessPolicy().refusal(toward: Route(host: "127.0.0.1", port: 80)) == nil)
    #expect(AccessPolicy().refusal(toward: Route(host: "169.254.169.254", port: 80)) == nil)
  }

  @Test("It is opened by its address or by localhost, each for its port, and by no pattern")
  func exceptions() throws {
    #expect(try refusal("127.0.0.1", allowing: ["127.0.0.1"]) == nil)
    #expect(try refusal("127.0.0.1", port: 3000, allowing: ["127.0.0.1:3000"]) == nil)
    #expect(try refusal("127.0.0.1", port: 3001, allowing: ["127.0.0.1:3000"]) == .denied("127.0.0.1"))
    #expect(try refusal("localhost", port: 3000, allowing: ["localhost:3000"]) == nil)
    #expect(try refusal("127.0.0.1", allowing: ["*"]) == .protected(.thisMachine))
    #expect(try refusal("127.0.0.1", allowing: ["127.0.0.0/8"]) == .protected(.thisMachine))
    #expect(try refusal("a.localhost", allowing: ["*.localhost"]) == .protected(.thisMachine))
    #expect(try refusal("169.254.169.254", allowing: ["*", "169.254.169.254"]) == nil)
    #expect(try refusal("a.localhost", port: 3000, allowing: ["a.localhost:3000"]) == nil)
  }

  @Test("A denied localhost covers the names below it: they are the same place (RFC 6761 6.3)")
  func namesBelowLocalhost() throws {
    var policy = AccessPolicy()
    policy.deniedHosts = [try #require(DestinationPattern("localhost:3000"))]
    #expect(policy.refusal(toward: Route(host: "a.b.localhost", port: 3000)) == .denied("a.b.localhost"))
    #expect(policy.refusal(toward: Route(host: "A.localhost.", port: 3000)) == .denied("a.localhost."))
    #expect(policy.refusal(toward: Route(host: "a.localhost", port: 3001)) == nil)
    #expect(policy.refusal(toward: Route(host: "localhost.example", port: 3000)) == nil)
    let loopback = try #require(SocketAddress(literal: "127.0.0.1", port: 80))
    let named = Route(host: "a.localhost", port: 80, reach: .guarded)
    #expect(try !self.policy(["a.localhost"]).prohibits(loopback, on: named))
    #expect(try self.policy(["b.localhost"]).prohibits(loopback, on: named))
  }

  @Test("What a name resolves to is judged by its address: an allowed name opens nothing")
  func resolved() throws {
    let loopback = try #require(SocketAddress(literal: "127.0.0.1", port: 80))
    let route = Route(host: "rebound.example", port: 80, reach: .guarded)
    #expect(try policy(["rebound.example"]).prohibits(loopback, on: route))
    #expect(try !policy(["rebound.example", "127.0.0.1"]).prohibits(loopback, on: route))
    #expect(try policy(["rebound.example", "127.0.0.1:81"]).prohibits(loopback, on: route))
    #expect(!AccessPolicy().prohibits(loopback, on: Route(host: "rebound.example", port: 80)))
    let local = Route(host: "localhost", port: 80, reach: .guarded)
    #expect(try !policy(["localhost"]).prohibits(loopback, on: local))
    let metadata = try #require(SocketAddress(literal: "169.254.169.254", port: 80))
    #expect(try policy(["localhost"]).prohibits(metadata, on: local), "whatever the hosts file says")
  }

  @Test("A name that was looked up is judged beside its address: denial wins, and either opens")
  func lookedUpNames() throws {
    let route = Route(host: "192.0.2.1", port: 443)
    func refusal(_ name: String?, allowing: [String] = [], denying: [String] = []) throws -> AccessPolicy.Refusal? {
      var policy = AccessPolicy()
      policy.allowedHosts = try allowing.map { try #require(DestinationPattern($0)) }
      policy.deniedHosts = try denying.map { try #require(DestinationPattern($0)) }
      return policy.refusal(toward: route, lookedUpAs: name)
    }
    #expect(try refusal("a.example", denying: ["a.example"]) == .denied("a.example"))
    #expect(try refusal("a.example", denying: ["192.0.2.1"]) == .denied("a.example"))
    #expect(try refusal("a.example", allowing: ["*"], denying: ["*.example:443"]) == .denied("a.example"))
    #expect(try refusal("a.example", denying: ["a.example:80", "b.example"]) == nil)
    #expect(try refusal(nil, denying: ["a.example"]) == nil)
    #expect(try refusal("a.example", allowing: ["a.example"]) == nil)
    #expect(try refusal("a.example", allowing: ["192.0.2.1"]) == nil)
    #expect(try refusal("a.example", allowing: ["b.example"]) == .denied("a.example"))
    #expect(try refusal(nil, allowing: ["a.example"]) == .denied("192.0.2.1"))
  }

  @Test("An address that is denied is reached by no name, by nobody")
  func deniedAddresses() throws {
    var policy = AccessPolicy()
    policy.deniedHosts = [try #require(DestinationPattern("10.0.0.0/8"))]
    let route = Route(host: "inside.example", port: 80)
    #expect(policy.refusal(toward: route) == nil)
    #expect(policy.prohibits(try #require(SocketAddress(literal: "10.1.2.3", port: 80)), on: route))
    #expect(!policy.prohibits(try #require(SocketAddress(literal: "11.1.2.3", port: 80)), on: route))
  }

  // MARK: Through the proxy

  private static func guarded() throws -> ProxyHarness {
    try ProxyHarness { $0.access.credentials = ProxyCredentials(pair: "user:pass") }
  }

  /// RFC 9110 15.5.8: the client is told how, may try again on the same connection, and the origin never sees the answer.
  @Test func aClientIsAskedAndThenServed() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let proxy = try Self.guarded()
    let client = try proxy.connect()
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: x\r\n\r\n")
    let refusal = try client.receiveResponse()
    #expect(refusal.status == 407)
    #expect(refusal.value(of: "Proxy-Authenticate") == "Basic realm=\"tapeline\", charset=\"UTF-8\"")
    try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n")
    #expect(try client.receiveResponse().bodyText == "hello")
    #expect(try #require(origin.connections.first).receivedText.contains("Authorization") == false)
    let records = try proxy.records(2)
    #expect(records[0].failure == nil && records[0].localStatus == 407, "most clients are asked first")
    #expect(records[1].failure == nil)
  }

  @Test func tunnelsAreGuardedToo() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try Self.guarded()
    let client = try proxy.connect()
    try client.send("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    #expect(try client.receiveResponse(to: "GET").status == 407)
    #expect(origin.connections.isEmpty)
  }

  @Test func metricsAskAsServersDo() throws {
    let proxy = try Self.guarded()
    let client = try proxy.connect()
    try client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    let refusal = try client.receiveResponse()
    #expect(refusal.status == 401)
    #expect(refusal.value(of: "WWW-Authenticate") != nil)
    try client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic dXNlcjpwYXNz\r\n\r\n")
    #expect(try client.receiveResponse().status == 200)
  }

  @Test func hostsThatAreDeniedAreNotReached() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness { $0.access.deniedHosts = [try #require(DestinationPattern("127.0.0.1"))] }
    for request in ["GET \(origin.url())", "CONNECT \(origin.authority)"] {
      let client = try proxy.connect()
      try client.send("\(request) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
      #expect(try client.receiveResponse().status == 403)
    }
    #expect(origin.connections.isEmpty)
    #expect(try proxy.records(2).allSatisfy { $0.failure?.kind.name == "host-denied" })
  }
}
