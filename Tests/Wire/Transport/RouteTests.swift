import Testing

@testable import TapelineTransport

@Suite struct RouteTests {
  @Test func namesHaveNoCase() {
    #expect(Route(host: "Example.TEST", port: 80) == Route(host: "example.test", port: 80))
    #expect(
      Route(host: "a", port: 443, security: .tls(serverName: "B.test"))
        == Route(host: "A", port: 443, security: .tls(serverName: "b.TEST")))
  }

  @Test func securityAndServerNameTellRoutesApart() {
    let plain = Route(host: "a.test", port: 443)
    let secure = Route(host: "a.test", port: 443, security: .tls(serverName: "a.test"))
    let other = Route(host: "a.test", port: 443, security: .tls(serverName: "b.test"))
    #expect(Set([plain, secure, other]).count == 3)
  }

  @Test("A connection for one reach is none for another")
  func reach() {
    let route = Route(host: "a.test", port: 443)
    let guarded = Route(host: "a.test", port: 443, reach: .guarded)
    #expect(route != guarded)
    #expect(!guarded.leadsTo(route) && !route.leadsTo(guarded) && guarded.leadsTo(guarded))
    #expect(
      guarded.secured(serverName: "B.test")
        == Route(host: "a.test", port: 443, security: .tls(serverName: "b.test"), reach: .guarded))
    #expect(guarded.leadsTo(guarded.secured(serverName: "b.test")) && !route.leadsTo(guarded.secured(serverName: "b.test")))
  }

  @Test(arguments: [
    (Route(host: "a.test", port: 80), "a.test"), (Route(host: "a.test", port: 443), "a.test:443"),
    (Route(host: "a.test", port: 443, security: .tls(serverName: "a.test")), "a.test"),
    (Route(host: "a.test", port: 80, security: .tls(serverName: "a.test")), "a.test:80"),
    (Route(host: "::1", port: 8080), "[::1]:8080"), (Route(host: "::1", port: 80), "[::1]"),
  ])
  func theAuthorityIsThatOfAHostField(route: Route, authority: String) {
    #expect(route.authority == authority)
  }
}
