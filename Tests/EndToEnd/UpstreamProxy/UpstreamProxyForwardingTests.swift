import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What is in clear, through another proxy that looks at bytes.
  @Suite struct UpstreamProxyForwarding {
    @Test("RFC 9112 3.2.2: another proxy gets the absolute form; Host is the target's authority, and userinfo stays here")
    func absoluteForm() throws {
      let upstream = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
      let recording = try recording(["--upstream-proxy", upstream.url("")]) { proxy in
        let client = try proxy.request(
          "GET http://me:pw@origin.test:8080/a?b=c HTTP/1.1\r\nHost: other.test\r\nX-Kept: 1\r\nProxy-Connection: keep-alive\r\n\r\n"
        )
        #expect(try client.receiveResponse().bodyText == "hello")
      }
      let head = try #require(upstream.requests.first).text
      let lines = try head.lines(withoutPseudonym: "tapeline-")
      #expect(
        lines == [
          "GET http://origin.test:8080/a?b=c HTTP/1.1", "Host: origin.test:8080", "X-Kept: 1", "Via: 1.1 tapeline-",
        ])
      let entry = try recording.entry("/a?b=c")
      #expect(entry.url == "http://origin.test:8080/a?b=c")
      #expect(entry.upstreamProxy == upstream.authority)
      #expect(entry.tree["serverIPAddress"]?.string == "127.0.0.1", "who was connected to, which is the proxy")
      #expect(entry.connection == "\(upstream.port)")
      #expect(entry.phase("connect") >= 0)
      #expect(entry.tunnelTime == nil)
      #expect(entry.tree["_events"]?["proxyConnectStart"] == nil)
      try HARValidators.expectAccepted(recording.log.path)
    }

    @Test("RFC 9110 11.7.2: the upstream proxy gets our credentials, once, and never the client's")
    func credentials() throws {
      let directory = try TemporaryDirectory()
      let upstream = try ScriptedOrigin([.forever([.expectRequest, .respond()])])
      let url = "http://me%40work:p%3Ass@\(upstream.authority)"
      for option in [url, "@\(try directory.write("\(url)\r\nsecond line", to: "proxy", mode: 0o600))"] {
        let recording = try recording(["--upstream-proxy", option]) { proxy in
          let client = try proxy.request(
            "GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\nProxy-Authorization: Basic Y2xpZW50\r\n\r\n")
          #expect(try client.receiveResponse().status == 200)
        }
        // base64("me@work:p:ss")
        #expect(upstream.requests.last?.values(of: "Proxy-Authorization") == ["Basic bWVAd29yazpwOnNz"])
        let log = try readText(recording.log.path)
        for secret in ["bWVAd29yazpwOnNz", "p:ss", "p%3Ass"] { #expect(!log.contains(secret), "\(secret) is in the log") }
      }
      #expect(upstream.requests.count == 2)
    }

    @Test("RFC 7616 3.4: a Digest challenge of the upstream proxy is answered, and the client hears nothing of it")
    func digest() throws {
      let upstream = try ScriptedOrigin([
        .expectRequest,
        .respond("407 Who", fields: [#"Proxy-Authenticate: Digest realm="p", nonce="n", qop="auth", algorithm=SHA-256"#]),
        .expectRequest, .respond(body: "hello"), .expectEnd,
      ])
      let recording = try recording(["--upstream-proxy", "http://me:secret@\(upstream.authority)"]) { proxy in
        let client = try proxy.request("GET http://origin.test/digest HTTP/1.1\r\nHost: origin.test\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.status == 200)
        #expect(response.bodyText == "hello")
      }
      let answers = upstream.requests.map { $0.value(of: "Proxy-Authorization") ?? "" }
      #expect(answers.count == 2)
      #expect(answers.last?.hasPrefix(#"Digest username="me", realm="p", nonce="n""#) == true)
      #expect(answers.last?.contains(#"uri="http://origin.test/digest""#) == true)
      #expect(try recording.entry("/digest").tree["_attempts"]?.integer == 2)
    }

    @Test("RFC 9112 9.3: requests to several origins share one connection to the upstream proxy")
    func reuse() throws {
      let upstream = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      let recording = try recording(["--upstream-proxy", upstream.url(""), "--threads", "1"]) { proxy in
        let client = try proxy.connect()
        for host in ["one.test", "two.test:8080", "[::1]:99"] {
          try client.send("GET http://\(host)/ HTTP/1.1\r\nHost: \(host)\r\n\r\n")
          #expect(try client.receiveResponse().bodyText == "x")
        }
      }
      #expect(upstream.connections.count == 1)
      let targets = upstream.requests.map { $0.startLine }
      #expect(targets == ["one.test", "two.test:8080", "[::1]:99"].map { "GET http://\($0)/ HTTP/1.1" })
      #expect(Set(recording.entries.map(\.connectionID)).count == 1)
      for entry in recording.entries.dropFirst() { expectReused(entry) }
      #expect(recording.entries.allSatisfy { $0.upstreamProxy == upstream.authority })
    }

    @Test("RFC 9112 7.1: bodies of either framing go through both ways")
    func bodies() throws {
      let upstream = try ScriptedOrigin([.forever([.answer { .response(body: $0.body) }])])
      let body = patternedBytes(200_000, seed: 4)
      _ = try recording(["--upstream-proxy", upstream.url("")]) { proxy in
        for fields in [[], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"]] {
          let curl = try proxy.curl(fields + ["--data-binary", "@-", "http://origin.test/post"], input: body)
          #expect(curl.standardOutput == body, "\(fields): \(curl.errorText)")
        }
      }
      #expect(upstream.requests.map(\.body) == [body, body, body])
    }

    @Test("RFC 9110 7.7: what is excepted is reached directly, in origin-form and without the proxy's credentials")
    func exceptions() throws {
      let upstream = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "through")])])
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "direct")])])
      let options = [
        "--upstream-proxy", "http://me:secret@\(upstream.authority)",
        "--upstream-proxy-except", ".internal.test,10.0.0.0/8", "--upstream-proxy-except", "127.0.0.1:\(origin.port)",
      ]
      let recording = try recording(options) { proxy in
        let wanted = [
          (origin.url("/near"), "direct"), (upstream.url("/other-port"), "through"), ("http://internal.test/far", "through"),
        ]
        for (url, answer) in wanted {
          let curl = try proxy.curl([url])
          #expect(curl.outputText == answer, "\(curl.errorText)")
        }
      }
      let request = try #require(origin.requests.first)
      #expect(request.startLine == "GET /near HTTP/1.1")
      #expect(request.values(of: "Proxy-Authorization") == [])
      #expect(upstream.requests.map(\.startLine).last == "GET http://internal.test/far HTTP/1.1")
      #expect(try recording.entry("/near").upstreamProxy == nil)
      #expect(try recording.entry("/far").upstreamProxy == upstream.authority)
    }
  }
}

extension String {
  /// A head's lines; the digits that follow `name` are different in every run, and left out.
  fileprivate func lines(withoutPseudonym name: String) throws -> [String] {
    try split(separator: "\r\n").map(String.init).map { line in
      guard let range = line.firstRange(of: name) else { return line }
      try #require(line[range.upperBound...].wholeMatch(of: /[0-9a-f]{6}/) != nil, "\(line)")
      return String(line[..<range.upperBound])
    }
  }
}
