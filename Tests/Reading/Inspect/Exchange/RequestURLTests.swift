import Testing

@testable import TapelineInspect

@Suite("Request URL")
struct RequestURLTests {
  @Test(
    "The parts that people ask for",
    arguments: [
      ("http://Example.com", "http", "example.com", 80, "/"),
      ("HTTPS://u:p@h:8443/a/b?c=d#e", "https", "h", 8_443, "/a/b"),
      ("https://[::1]:9/x", "https", "::1", 9, "/x"),
      ("https://[fe80::1]", "https", "fe80::1", 443, "/"),
      ("http://h?q=a/b@c:9", "http", "h", 80, "/"),
      ("wss://h/chat", "wss", "h", 443, "/chat"),
    ])
  func parts(text: String, scheme: String, host: String, port: Int, path: String) throws {
    let url = try #require(RequestURL(text))
    #expect(url.scheme == scheme)
    #expect(url.host == host)
    #expect(url.port == port)
    #expect(url.path == path)
  }

  @Test("What is no absolute URL has none", arguments: ["", "/path", "mailto:a@b", "http:/h"])
  func relative(text: String) {
    #expect(RequestURL(text) == nil)
  }
}
