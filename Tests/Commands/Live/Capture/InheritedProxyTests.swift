import TapelineLoop
import TapelineTransport
import Testing

@testable import TapelineLive

@Suite("Inherited proxy")
struct InheritedProxyTests {
  @Test("One proxy for both schemes is used, in either spelling, and reported without its credentials")
  func followed() throws {
    for names in [("https_proxy", "http_proxy"), ("HTTPS_PROXY", "HTTP_PROXY")] {
      let inherited = InheritedProxy(environment: [
        names.0: "http://me:secret@proxy.test:3128/", names.1: "me:secret@proxy.test:3128",
      ])
      let proxy = try #require(inherited.proxy)
      #expect(proxy.host == "proxy.test" && proxy.port == 3128)
      #expect(proxy.credential == Credential(user: "me", password: "secret"))
      #expect(
        inherited.notes == [
          "servers are reached through http://proxy.test:3128, as \(names.0) says; --upstream-proxy none reaches them directly"
        ])
      #expect(inherited.mention?.contains("secret") == false)
    }
    #expect(InheritedProxy(environment: ["all_proxy": "http://proxy.test"]).proxy?.port == 80)
    #expect(InheritedProxy(environment: ["https_proxy": "", "ALL_PROXY": "http://proxy.test"]).proxy != nil)
    let none = InheritedProxy(environment: ["PATH": "/bin", "https_proxy": ""])
    #expect(none.proxy == nil && none.notes.isEmpty && none.mention == nil)
  }

  @Test("NO_PROXY applies, also to this machine, and its unreadable parts are reported")
  func exceptions() throws {
    let inherited = InheritedProxy(environment: ["all_proxy": "proxy.test", "NO_PROXY": "localhost, 10.* .corp"])
    let exceptions = try #require(inherited.proxy?.exceptions)
    for host in ["localhost", "a.corp"] { #expect(exceptions.matches(host: host, port: 1), "\(host)") }
    #expect(!exceptions.matches(host: "origin.test", port: 80))
    #expect(inherited.notes.count == 2)
    #expect(inherited.notes[0].contains(", but for those in NO_PROXY;"))
    #expect(inherited.notes[1].hasPrefix("NO_PROXY: \"10.*\" is not a host"))
  }

  @Test("A scheme without a proxy has its standard port reached directly")
  func oneScheme() throws {
    let secure = try #require(InheritedProxy(environment: ["https_proxy": "proxy.test"]).proxy?.exceptions)
    #expect(secure.matches(host: "origin.test", port: 80) && !secure.matches(host: "origin.test", port: 443))
    let clear = try #require(InheritedProxy(environment: ["http_proxy": "proxy.test"]).proxy?.exceptions)
    #expect(!clear.matches(host: "origin.test", port: 80) && clear.matches(host: "origin.test", port: 443))
  }

  @Test("If the proxies differ, the HTTPS proxy carries both schemes, and a message says so")
  func different() {
    let inherited = InheritedProxy(environment: ["https_proxy": "a.test:1", "http_proxy": "b.test:2", "all_proxy": "c.test"])
    #expect(inherited.proxy?.host == "a.test")
    #expect(inherited.proxy?.exceptions.matches(host: "origin.test", port: 80) == false)
    #expect(inherited.notes[0].contains("so is HTTP, for which http_proxy names another"))
  }

  @Test("An unusable proxy is reported with a remedy and without its password", arguments: ["socks4", "https"])
  func unusable(scheme: String) {
    let inherited = InheritedProxy(environment: ["all_proxy": "\(scheme)://me:secret@proxy.test:1080"])
    #expect(inherited.proxy == nil)
    #expect(inherited.notes.count == 1)
    #expect(inherited.notes[0].hasPrefix("all_proxy: "))
    #expect(inherited.notes[0].contains("not \(scheme)") && inherited.notes[0].contains("--upstream-proxy none"))
    #expect(!inherited.notes[0].contains("secret"))
  }

  @Test("A proxy at our own listening address is tapeline itself")
  func ourselves() throws {
    let listener = try #require(SocketAddress(literal: "127.0.0.1", port: 8888))
    let inherited = InheritedProxy(environment: ["all_proxy": "http://localhost:8888"], besides: [listener])
    #expect(inherited.proxy == nil && inherited.mention == nil)
  }
}
