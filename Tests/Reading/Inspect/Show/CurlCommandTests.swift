import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("curl command")
struct CurlCommandTests {
  private func command(
    _ method: String, _ url: String = "http://h:8080/a?b=1&c=2", version: String = "HTTP/1.1", fields: [(String, String)] = [],
    body: CurlCommand.Body = .none
  ) throws -> String {
    try CurlCommand(
      method: method, url: url, httpVersion: version, fields: fields.map { CurlCommand.Field(name: $0, value: $1) }, body: body
    ).text
  }

  private let plain = [("User-Agent", "x"), ("Accept", "*/*")]
  private let posted = [("User-Agent", "x"), ("Accept", "*/*"), ("Content-Type", "text/plain"), ("Expect", "100-continue")]

  @Test("A GET")
  func get() throws {
    #expect(
      try command(
        "GET", fields: [("Host", "h:8080"), ("User-Agent", "it's me"), ("Accept", "*/*"), ("Proxy-Connection", "Keep-Alive")])
          == #"""
          curl \
            --proto '=http,https' \
            --url 'http://h:8080/a?b=1&c=2' \
            --header 'User-Agent: it'\''s me' \
            --header 'Accept: */*'
          """#)
  }

  @Test("What curl would add by itself is taken out")
  func defaults() throws {
    #expect(
      try command("GET", "http://h/") == #"""
        curl \
          --proto '=http,https' \
          --url http://h/ \
          --header 'User-Agent:' \
          --header 'Accept:'
        """#)
  }

  @Test("A POST with a text body; an empty value; a Host that is not the URL's")
  func post() throws {
    #expect(
      try command(
        "POST", "http://h/",
        fields: [("Host", "other"), ("X-Empty", ""), ("Content-Length", "5"), ("Content-Type", "text/plain")],
        body: .text("@a=b\n"))
          == #"""
          curl \
            --proto '=http,https' \
            --url http://h/ \
            --header 'Host: other' \
            --header 'X-Empty;' \
            --header 'Content-Type: text/plain' \
            --header 'User-Agent:' \
            --header 'Accept:' \
            --header 'Expect:' \
            --data-raw '@a=b
          '
          """#)
  }

  @Test("Bytes, and text with control characters, go through a pipe")
  func piped() throws {
    let expected = #"""
      printf %s 'YQ0KYg==' | base64 -d | curl \
        --proto '=http,https' \
        --request PUT \
        --url http://h/ \
        --header 'User-Agent: x' \
        --header 'Accept: */*' \
        --header 'Content-Type: text/plain' \
        --header 'Expect: 100-continue' \
        --data-binary @-
      """#
    #expect(
      try command("PUT", "http://h/", fields: posted, body: .text("a\r\nb")) == expected)
    #expect(
      try command("PUT", "http://h/", fields: posted, body: .base64("YQ0KYg")) == expected)
  }

  @Test("A text longer than one argument may be goes through a pipe")
  func long() throws {
    let text = try command("POST", "http://h/", fields: posted, body: .text(String(repeating: "a", count: 200_000)))
    #expect(text.hasPrefix("printf %s "))
    #expect(text.hasSuffix("--data-binary @-"))
  }

  @Test(
    "Methods that curl would not choose are named",
    arguments: [("HEAD", "--head"), ("DELETE", "--request DELETE"), ("POST", "--request POST"), ("X!Y", "--request 'X!Y'")])
  func methods(method: String, option: String) throws {
    #expect(try command(method, fields: plain).contains(option))
    #expect(try !command("GET", fields: plain).contains("--request"))
  }

  @Test("A GET with a body is still a GET")
  func getWithBody() throws {
    #expect(try command("GET", fields: posted, body: .text("x")).contains("--request GET"))
  }

  @Test("Patterns, dot segments and versions are taken as they are")
  func literally() throws {
    #expect(try command("GET", "http://[::1]/{a}", fields: plain).contains("--globoff"))
    #expect(try command("GET", "http://h/a/../b", fields: plain).contains("--path-as-is"))
    #expect(try command("GET", version: "HTTP/1.0", fields: plain).contains("--http1.0"))
    #expect(try command("GET", "https://h/", fields: plain).contains("--http1.1"))
    #expect(try !command("GET", "http://h/", fields: plain).contains("--http"))
  }

  @Test("A value of blanks is empty for curl; names of HTTP/2 are no fields")
  func blanks() throws {
    let text = try command("GET", "http://h/", fields: plain + [("X", " \t"), (":authority", "h")])
    #expect(text.contains("--header 'X;'"))
    #expect(!text.contains("authority"))
  }

  @Test(
    "What curl would take for something else is refused",
    arguments: [
      ("-K-", CurlRefusal.scheme), ("@file", .scheme), ("file:///etc/passwd", .scheme), ("", .scheme), ("httpx://h/", .scheme),
      ("http:/h", .scheme), (" http://h/", .scheme), ("http://h/\n", .url), ("https://h/\u{9B}", .url),
    ])
  func urls(url: String, refusal: CurlRefusal) {
    #expect(throws: refusal) { try command("GET", url, fields: plain) }
  }

  @Test("So are methods, headers and bodies that are none")
  func parts() {
    for method in ["", "GET /", "G\nT", "@x"] {
      #expect(throws: CurlRefusal.method) { try command(method, "http://h/") }
    }
    for name in ["", "@/etc/passwd", "a b", "a\n", "é", "a:b", "a;"] {
      #expect(throws: CurlRefusal.fieldName(name)) { try command("GET", "http://h/", fields: [(name, "x")]) }
    }
    for value in ["\n", "a\rb", "a\0"] {
      #expect(throws: CurlRefusal.fieldValue("X")) { try command("GET", "http://h/", fields: [("X", value)]) }
    }
    #expect(throws: CurlRefusal.body) { try command("POST", "http://h/", body: .base64("$(touch x)")) }
  }

  @Test(
    "HTTP/2 is asked for, with pseudo-fields left out and the crumbs of cookies joined (RFC 9113 8.2.3)",
    arguments: [
      ("https://h/", "HTTP/2", "--http2"), ("https://h/", "h2", "--http2"), ("http://h/", "http/2.0", "--http2-prior-knowledge"),
    ])
  func http2(url: String, version: String, option: String) throws {
    #expect(
      try command(
        "GET", url, version: version,
        fields: [(":authority", "h"), (":path", "/"), ("cookie", "a=1"), ("x", "y"), ("cookie", "b=2")] + plain)
          == """
          curl \\
            --proto '=http,https' \\
            \(option) \\
            --url \(url) \\
            --header 'cookie: a=1; b=2' \\
            --header 'x: y' \\
            --header 'User-Agent: x' \\
            --header 'Accept: */*'
          """)
  }

  @Test("Cookies of HTTP/1.1 stay as they are")
  func cookieLines() throws {
    #expect(
      try command("GET", fields: [("Cookie", "a=1"), ("Cookie", "b=2")]).contains("'Cookie: a=1' \\\n  --header 'Cookie: b=2'"))
  }
}

@Suite("curl command of an entry")
struct CurlCommandOfEntryTests {
  @Test("Method, URL, fields and body are the request's")
  func entry() throws {
    var entry = HAREntry.ordinary()
    entry.request.method = "POST"
    entry.request.postData = HARPostData(mimeType: "application/octet-stream", text: "AP8", custom: ["_encoding": "base64"])
    let command = try CurlCommand(entry)
    #expect(command.method == "POST")
    #expect(command.url == "http://example.com/a?b=1")
    #expect(command.fields.map(\.name) == ["Host", "accept"])
    #expect(command.body == .base64("AP8="))
    entry.request.postData = HARPostData(mimeType: "text/plain", text: "AP8")
    #expect(try CurlCommand(entry).body == .text("AP8"))
    #expect(try CurlCommand(.ordinary()).body == CurlCommand.Body.none)
  }

  @Test("A tunnel has no request to send again")
  func tunnel() {
    #expect(throws: CurlRefusal.tunnel) { try CurlCommand(.tunnel()) }
  }
}
