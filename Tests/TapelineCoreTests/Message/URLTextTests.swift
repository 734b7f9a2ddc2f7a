import Testing

@testable import TapelineCore

@Suite struct URLTextTests {
  @Test(arguments: [
    ("http://a.example/b?c#d", "http", nil, "a.example", "/b?c"),
    ("HTTPS://u:p@a.example:8443", "https", "u:p", "a.example:8443", ""),
    ("http://a?b/c@d", "http", nil, "a", "?b/c@d"),
    ("http://u@v@h/", "http", "u@v", "h", "/"),
    ("http://[::1]:80/x", "http", nil, "[::1]:80", "/x"),
    ("mailto:a@b", "mailto", nil, nil, "a@b"),
    ("/only/a?path", nil, nil, nil, "/only/a?path"),
    ("//host/p", nil, nil, "host", "/p"),
    ("", nil, nil, nil, ""),
  ])
  func parts(text: String, scheme: String?, userinfo: String?, authority: String?, rest: String) {
    let parts = URLText(text)
    #expect(parts.scheme == scheme)
    #expect(parts.userinfo == userinfo)
    #expect(parts.hostAndPort == authority)
    #expect(parts.pathAndQuery == rest)
  }

  @Test func withoutCredentialsAndFragment() {
    #expect(URLText("http://u:p@a.example/b?c#d").sanitized == "http://a.example/b?c")
    #expect(URLText("/a#b").sanitized == "/a")
  }
}
