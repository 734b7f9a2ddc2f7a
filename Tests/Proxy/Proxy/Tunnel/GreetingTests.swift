import Testing

@testable import TapelineProxy

@Suite struct GreetingTests {
  private func judge(_ text: String, readsHTTP2: Bool = true) -> String {
    switch Greeting.peek(Array(text.utf8).span, readsHTTP2: readsHTTP2) {
    case .incomplete: "incomplete"
    case .tls: "tls"
    case .malformedTLS: "malformed"
    case .http: "http"
    case .http2: "http2"
    case .other: "other"
    }
  }

  @Test(arguments: [
    ("", "incomplete"), ("G", "incomplete"), ("GET", "incomplete"), ("GET ", "incomplete"), ("GET /", "http"),
    ("POST /a HTTP", "http"),
    ("OPTIONS /", "http"), ("P", "incomplete"), ("PRI * HTTP/2.0", "incomplete"), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "http2"),
    ("PRI * HTTP/2.1", "other"), ("GETX", "other"), ("get /", "other"),
    ("CONNECT a:1", "other"), ("EHLO me", "other"), ("\u{0}", "other"), ("\u{16}", "incomplete"), ("\u{16}\u{3}", "incomplete"),
    ("\u{16}GET", "other"), ("\u{16}\u{3}\u{1}\u{0}\u{4}\u{2}", "malformed"),
  ])
  func whatItIsShowsInItsFirstBytes(text: String, expected: String) {
    #expect(judge(text) == expected)
  }

  @Test(
    "The preface of HTTP/2 is not for us to read where we do not speak it",
    arguments: ["PRI", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
  func unspoken(text: String) {
    #expect(judge(text, readsHTTP2: false) == "other")
  }
}
