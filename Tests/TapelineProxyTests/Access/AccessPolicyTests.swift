import TapelineCore
import TapelineTestSupport
import TapelineTransport
import Testing

@testable import TapelineProxy

@Suite struct AccessPolicyTests {
  @Test func credentialsAreComparedWhole() {
    let credentials = ProxyCredentials(pair: "user:pass")
    #expect(credentials.match("Basic dXNlcjpwYXNz"))
    #expect(credentials.match("basic   dXNlcjpwYXNz"))
    for wrong in [
      "", "Basic", "Basic ", "Basic dXNlcjpwYXN", "Basic dXNlcjpwYXNzeA==", "Basic dXNlcjpwYXNy", "Bearer dXNlcjpwYXNz",
    ] {
      #expect(!credentials.match(wrong), "\(wrong)")
    }
  }

  @Test func whoGivesThemTwiceGivesNone() {
    var policy = AccessPolicy()
    policy.credentials = ProxyCredentials(pair: "user:pass")
    #expect(policy.admits(["Basic dXNlcjpwYXNz"]))
    #expect(!policy.admits(["Basic dXNlcjpwYXNz", "Basic dXNlcjpwYXNz"]))
    #expect(!policy.admits([]))
    #expect(AccessPolicy().admits([]))
  }

  @Test func denialWins() throws {
    var policy = AccessPolicy()
    policy.allowedHosts = [try #require(DestinationPattern("*.example.com")), try #require(DestinationPattern("10.0.0.1"))]
    policy.deniedHosts = [try #require(DestinationPattern("private.example.com"))]
    #expect(policy.refusal(toward: Route(host: "www.example.com", port: 80)) == nil)
    #expect(policy.refusal(toward: Route(host: "10.0.0.1", port: 80)) == nil)
    #expect(policy.refusal(toward: Route(host: "private.example.com", port: 80)) == .denied)
    #expect(policy.refusal(toward: Route(host: "example.org", port: 80)) == .denied)
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
    #expect(records[0].failure?.kind == "proxy-authentication-required")
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
    #expect(try proxy.records(2).allSatisfy { $0.failure?.kind == "host-denied" })
  }
}
