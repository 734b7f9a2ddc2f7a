import Testing

@testable import TapelineInspect

@Suite("URL template")
struct URLTemplateTests {
  @Test(
    "What varies is folded",
    arguments: [
      ("https://API.example.com/orders/77?page=2&size=50#top", "https://api.example.com/orders/{id}?page&size"),
      ("https://h/orders/78?size=1&page=3&page=4", "https://h/orders/{id}?page&size"),
      ("https://h/u/0b8f3c1e-7a52-4f7d-9c55-0d8c1f2a3b4c/x", "https://h/u/{id}/x"),
      ("https://h/static/app.4f9d2a1b.js", "https://h/static/app.{id}.js"),
      ("https://h/static/app.12345678.js", "https://h/static/app.{id}.js"),
      ("https://h/c/9fceb02d0ae598e95dc970b74767f19372d61af8", "https://h/c/{id}"),
      ("https://h/day/2026-01-02", "https://h/day/{date}"), ("https://h/day/2026-01-02T03:04:05Z/x", "https://h/day/{date}/x"),
      ("https://h/t/1767323045123", "https://h/t/{id}"), ("https://h/s/eyJhbGciOiJIUzI1NiJ9", "https://h/s/{id}"),
      ("https://h/order-77.json", "https://h/order-{id}.json"), ("https://h/a?_=1767323045123", "https://h/a?_"),
      ("https://h/a?1767323045123", "https://h/a?{id}"), ("http://h", "http://h/"), ("http://h?a=1", "http://h/?a"),
      ("http://127.0.0.1:48211/a", "http://127.0.0.1:{port}/a"), ("http://[::1]:48211/a", "http://[::1]:{port}/a"),
      ("http://user:secret@h/a", "http://h/a"), ("data:image/png;base64,iVBORw0KGgo=", "data:image/png;base64,…"),
      ("/relative/7?x=1", "/relative/{id}?x"),
    ])
  func folded(url: String, template: String) {
    #expect(URLTemplate(url).text == template)
  }

  @Test(
    "What names something is kept",
    arguments: [
      "https://h/v1/orders/new", "https://h/oauth2/authorize", "https://h/favicon.ico", "https://h/deadbeef", "https://h:8443/a",
      "http://127.0.0.1:8080/a", "https://h/a//b/", "https://h/internationalization", "https://h/café", "https://h/a1b2c3",
    ])
  func kept(url: String) {
    #expect(URLTemplate(url).text == url)
  }

  @Test("Without host; without query")
  func parts() {
    #expect(URLTemplate("https://h:1/a/7?b=1", ignoringHost: true).text == "/a/{id}?b")
    #expect(URLTemplate("http://localhost:48211/a/7", keepingPorts: true).text == "http://localhost:48211/a/{id}")
    #expect(URLTemplate("https://h", ignoringHost: true) == URLTemplate("http://other", ignoringHost: true))
    #expect(URLTemplate("https://h/a/7?b=1").withoutQuery == "https://h/a/{id}")
  }

  @Test("Anything is a URL", arguments: ["", "?", "#", "://", "a://", "http://[", "http://h:99999/", "%%%", "é?é=é"])
  func nonsense(url: String) {
    #expect(URLTemplate(url).text.isEmpty == false)
  }
}
