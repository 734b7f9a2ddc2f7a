import Testing

@testable import TapelineInspect

struct KnownHostsTests {
  @Test("A host that is known is the host of the URL")
  func same() {
    var hosts = KnownHosts()
    let urls = [
      "http://a.example/", "http://a.example/x", "http://a.example:80/", "http://a.example", "http://a.example?/",
      "http://A.example/",
      "https://a.example/x#/", "http://a.example.b/", "http://u@a.example/", "http://a/", "http://[::1]/x", "http://a\\b/",
      "//a.example/x",
      "a.example:443", "", "/", "http:///x", "file:///x", "http://a.example/é", "http://é/", "http://a?b/c", "http://a#b/c",
    ]
    for turn in 0..<3 {
      for url in urls + (0..<turn * 9).map({ "http://\($0).example/a" }) + urls {
        #expect(hosts.host(of: url) == RequestURL(url)?.host)
      }
    }
  }
}
