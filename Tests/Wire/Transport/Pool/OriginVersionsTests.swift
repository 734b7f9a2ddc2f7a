import TapelineHTTP
import Testing

@testable import TapelineTransport

@Suite struct OriginVersionsTests {
  @Test("RFC 9112 6.1: What a server last answered in is remembered, by host, port and protection")
  func lastVersion() {
    var versions = OriginVersions()
    let route = Route(host: "a.test", port: 80)
    #expect(versions[route] == nil)
    versions.note(.http10, of: route)
    #expect(versions[route] == .http10)
    #expect(versions[Route(host: "a.test", port: 81)] == nil)
    #expect(versions[Route(host: "a.test", port: 80, security: .tls(serverName: "a.test"))] == nil)
    versions.note(.http11, of: Route(host: "A.TEST", port: 80))
    #expect(versions[route] == .http11)
    #expect(versions.count == 1)
  }

  @Test("The server that answered longest ago is forgotten first")
  func bound() {
    var versions = OriginVersions()
    for port in 1...OriginVersions.limit { versions.note(.http10, of: Route(host: "a.test", port: UInt16(port))) }
    versions.note(.http10, of: Route(host: "a.test", port: 1))
    versions.note(.http10, of: Route(host: "a.test", port: 0))
    #expect(versions.count == OriginVersions.limit)
    #expect(versions[Route(host: "a.test", port: 1)] == .http10)
    #expect(versions[Route(host: "a.test", port: 2)] == nil)
  }
}
