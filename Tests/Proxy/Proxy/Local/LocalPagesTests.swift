import TapelineCore
import TapelineDigest
import TapelineTLS
import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineProxy

@Suite struct LocalPagesTests {
  private func ask(_ proxy: ProxyHarness, _ path: String, host: String? = nil, fields: String = "") throws -> RawMessage {
    let client = try proxy.connect()
    let host = host ?? "127.0.0.1:\(proxy.port)"
    try client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
    return try client.receiveResponse()
  }

  @Test func helpSaysWhereAndWhat() throws {
    let proxy = try ProxyHarness()
    let page = try ask(proxy, "/", host: "localhost:\(proxy.port)")
    #expect(page.status == 200)
    #expect(page.bodyText.contains("export HTTP_PROXY=http://localhost:\(proxy.port)"))
    #expect(page.bodyText.contains("1 in flight, 0 tunnels, 1 clients"), "this very request is one")
    #expect(page.value(of: "Cache-Control") == "no-store")
    #expect(page.value(of: "X-Content-Type-Options") == "nosniff")
  }

  @Test func browsersGetAPageWithLinks() throws {
    let proxy = try ProxyHarness.intercepting()
    let accept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
    let page = try ask(proxy, "/", fields: accept)
    #expect(page.status == 200)
    #expect(page.value(of: "Content-Type") == "text/html; charset=utf-8")
    #expect(page.value(of: "Vary") == "Accept")
    for link in ["/ca.crt", "/ca.pem", "/proxy.pac", "/metrics", "/healthz"] {
      #expect(page.bodyText.contains("href=\"\(link)\""), "\(link)")
    }
    #expect(page.bodyText.contains("<dt>Port</dt><dd><code>\(proxy.port)</code>"))
    #expect(page.bodyText.contains(try Authorities.shared.get().certificates.authorityCertificate.fingerprint))
    let policy = try #require(page.value(of: "Content-Security-Policy"))
    let style = try #require(page.bodyText.split(separator: "<style>").last?.split(separator: "</style>").first)
    let hash = Base64.encode(MessageDigest.sha256.digest(of: Array(style.utf8).span))
    #expect(policy == "default-src 'none'; style-src 'sha256-\(hash)'; frame-ancestors 'none'")
    #expect(!page.bodyText.contains("<script"))
    let tunnelling = try ask(try ProxyHarness(), "/", fields: accept)
    #expect(!tunnelling.bodyText.contains("/ca.crt") && tunnelling.bodyText.contains("--intercept"))
  }

  @Test func programsGetText() throws {
    let proxy = try ProxyHarness()
    for accept in [
      "", "Accept: */*\r\n", "Accept: text/*\r\n", "Accept: application/json, text/html;q=0\r\n", "Accept: text/htmlx\r\n",
    ] {
      let page = try ask(proxy, "/", fields: accept)
      #expect(page.value(of: "Content-Type") == "text/plain; charset=utf-8", "\(accept)")
      #expect(page.value(of: "Vary") == "Accept")
    }
    for accept in ["Accept: text/plain, TEXT/HTML ; q=0.5\r\n", "Accept: a/b\r\nAccept: text/html\r\n"] {
      #expect(try ask(proxy, "/", fields: accept).value(of: "Content-Type") == "text/html; charset=utf-8", "\(accept)")
    }
  }

  /// What a request says of the host is a text in the page, never markup.
  @Test func theNameOfTheHostIsNoMarkup() throws {
    let page = BrowserPage(authority: "<b>\"&'.localhost:1", certificate: nil, activity: nil).reply
    let text = String(decoding: page.body, as: UTF8.self)
    #expect(!text.contains("<b>") && text.contains("&lt;b&gt;&quot;&amp;"))
  }

  @Test func autoConfigurationNamesTheProxyAsTheClientFoundIt() throws {
    let proxy = try ProxyHarness()
    let page = try ask(proxy, "/proxy.pac?cache=no", host: "[::1]:\(proxy.port)")
    #expect(page.status == 200)
    #expect(page.value(of: "Content-Type") == "application/x-ns-proxy-autoconfig")
    #expect(page.bodyText == "function FindProxyForURL(url, host) {\n  return \"PROXY [::1]:\(proxy.port)\";\n}\n")
  }

  @Test func theAuthorityIsHandedOutWhereItIsUsed() throws {
    let tunnelling = try ProxyHarness()
    #expect(try ask(tunnelling, "/ca.pem").status == 404)
    let proxy = try ProxyHarness.intercepting()
    let pem = try ask(proxy, "/ca.pem")
    #expect(pem.status == 200)
    #expect(pem.bodyText == (try Authorities.shared.get().certificates.authorityCertificate.pem))
    let der = try ask(proxy, "/ca.crt")
    #expect(der.value(of: "Content-Type") == "application/x-x509-ca-cert")
    #expect(der.body == (try Authorities.shared.get().certificates.authorityCertificate.der))
  }

  @Test func healthIsShort() throws {
    #expect(try ask(try ProxyHarness(), "/healthz").bodyText == "ok\n")
  }

  @Test func onlyReadingIsAllowed() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("POST /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\nhi")
    let reply = try client.receiveResponse(to: "POST")
    #expect(reply.status == 405)
    #expect(reply.value(of: "Allow") == "GET, HEAD")
  }

  @Test("Its own pages are no part of what a program did: only what is none of them is recorded")
  func unrecorded() throws {
    let proxy = try ProxyHarness { $0.recordsOwnPages = false }
    let client = try proxy.connect()
    for path in ["/", "/healthz", "/metrics", "/proxy.pac", "/ca.pem", "/favicon.ico", "/api"] {
      try client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      _ = try client.receiveResponse()
    }
    let record = try #require(try proxy.records(1).first)
    #expect(record.request?.targetText == "/api" && record.localStatus == 404 && record.failure == nil)
  }

  @Test func headHasNoBody() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(try client.receiveResponse(to: "HEAD").status == 200)
    #expect(try client.receiveResponse().bodyText == "ok\n")
  }
}

@Suite struct MetricsTests {
  @Test func numbersOfTheProxyAndOfOthers() throws {
    let proxy = try ProxyHarness { configuration in
      configuration.threads = 2
      configuration.metrics = { $0.single("example_total", .counter, help: "An example.", 7) }
    }
    let client = try proxy.connect()
    // What comes behind is answered behind.
    try client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    let page = try client.receiveResponse()
    #expect(page.status == 200)
    #expect(page.value(of: "Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    let lines = page.bodyText.split(separator: "\n")
    #expect(lines.contains("tapeline_requests_total 1"))
    #expect(lines.contains("tapeline_client_connections 1"))
    #expect(lines.contains("example_total 7"))
    #expect(lines.filter { $0.hasPrefix("tapeline_loop_lag_seconds{loop=") }.count == 2)
    #expect(try client.receiveResponse().bodyText == "ok\n")
    #expect(try proxy.records(2).map(\.localStatus) == [200, 200])
  }

  @Test func everySampleHasAType() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    var typed: Set<Substring> = []
    for line in try client.receiveResponse().bodyText.split(separator: "\n") {
      if line.hasPrefix("# TYPE ") {
        typed.insert(line.dropFirst(7).prefix { $0 != " " })
      } else if !line.hasPrefix("#") {
        let name = line.prefix { $0 != " " && $0 != "{" }
        #expect(typed.contains(name), "\(line)")
      }
    }
    #expect(!typed.isEmpty)
  }

  @Test func aClientThatLeavesIsRecorded() throws {
    let proxy = try ProxyHarness()
    for _ in 0..<20 {
      let client = try proxy.connect()
      try client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      client.reset()
    }
    #expect(try proxy.records(20).count == 20)
  }

  @Test("RFC 9112 7.1: bytes that are not a chunk are refused also while an answer of our own is being gathered")
  func brokenContent() throws {
    let proxy = try ProxyHarness()
    for _ in 0..<20 {
      let client = try proxy.connect()
      try client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
      #expect(try client.receiveResponse().status == 400)
    }
    #expect(try proxy.records(20).map(\.localStatus) == Array(repeating: 400, count: 20))
  }

  @Test func labelsAreEscaped() {
    var text = PrometheusText()
    text.sample("a", [("b", "c\"d\\e\nf")], 1)
    #expect(text.text == "a{b=\"c\\\"d\\\\e\\nf\"} 1\n")
  }
}

@Suite struct LocalAudienceTests {
  private func status(_ proxy: ProxyHarness, host: String, fields: String = "") throws -> Int {
    let client = try proxy.connect()
    try client.send("GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
    return try client.receiveResponse().status
  }

  /// A name that somebody lets point here does not make the proxy's pages theirs (DNS rebinding).
  @Test func namesOfOthersAreNotOurs() throws {
    let proxy = try ProxyHarness { $0.hostName = "workbench" }
    for host in ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"] {
      #expect(try status(proxy, host: host) == 421)
    }
    for host in ["127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:80", "a.localhost", "workbench", "Workbench.local:8888"] {
      #expect(try status(proxy, host: host) == 200)
    }
  }

  @Test func otherSitesMayNotLookIn() throws {
    let proxy = try ProxyHarness()
    let host = "127.0.0.1:\(proxy.port)"
    #expect(try status(proxy, host: host, fields: "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n") == 403)
    #expect(try status(proxy, host: host, fields: "Origin: http://evil.example\r\n") == 403)
    #expect(try status(proxy, host: host, fields: "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n") == 200)
    #expect(try status(proxy, host: host, fields: "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n") == 200)
    #expect(try status(proxy, host: host, fields: "Origin: http://\(host)\r\n") == 200)
  }
}

@Suite struct FinalRecipientTests {
  @Test func traceIsReflectedWithoutCredentials() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(
      "TRACE \(origin.url("/a")) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\nCookie: secret\r\nAuthorization: secret\r\nX-Kept: yes\r\n\r\n"
    )
    let reply = try client.receiveResponse(to: "TRACE")
    #expect(reply.status == 200)
    #expect(reply.value(of: "Content-Type") == "message/http")
    #expect(reply.bodyText == "TRACE \(origin.url("/a")) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\nX-Kept: yes\r\n\r\n")
    #expect(origin.connections.isEmpty)
  }

  @Test func optionsIsAnsweredWhenItMayGoNoFurther() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "from afar"), .expectEnd])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send("OPTIONS \(origin.url()) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n")
    let reply = try client.receiveResponse(to: "OPTIONS")
    #expect(reply.status == 200)
    #expect(reply.value(of: "Allow")?.contains("CONNECT") == true)
    try client.send("OPTIONS \(origin.url()) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 1\r\n\r\n")
    #expect(try client.receiveResponse(to: "OPTIONS").bodyText == "from afar")
    #expect(try #require(origin.connections.first).receivedText.contains("Max-Forwards: 0\r\n"))
  }
}
