import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Targets {
    @Test("RFC 9112 3.2.1: absolute-form becomes origin-form, byte for byte", arguments: Loopback.allCases)
    func absoluteFormBecomesOriginForm(_ loopback: Loopback) throws {
      try expectForwarded(vectors: "request-targets", "absolute-form", on: loopback)
    }

    @Test("RFC 9112 3.2.2: Host is the target's authority, whatever the client's says")
    func hostIsTheTargetsAuthority() throws {
      try expectForwarded(vectors: "request-targets", "Host")
    }

    @Test("RFC 9110 4.2.1: a default port that is spelled out is kept")
    func aDefaultPortIsKept() throws {
      let recording = try recording(["--deny-host", "localhost"]) { proxy in
        let client = try proxy.connect()
        for target in ["http://localhost:80/spelled", "http://localhost:/empty", "http://localhost/none"] {
          try client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
          #expect(try client.receiveResponse().status == 403)
        }
      }
      #expect(
        recording.entries.map(\.url) == ["http://localhost:80/spelled", "http://localhost/empty", "http://localhost/none"],
        "an empty port is none")
    }

    @Test("RFC 9112 3.2.4: OPTIONS for an authority alone asks for *")
    func optionsWithoutAPathAsksForTheServer() throws {
      try expectForwarded(vectors: "request-targets", "OPTIONS without a path")
    }

    @Test("RFC 9110 4.2.4: userinfo and fragments go nowhere, and into no log")
    func userinfoAndFragmentsGoNowhere() throws {
      let origin = try ScriptedOrigin.echo()
      let secret = "user:hush%40@\(origin.authority)"
      let recording = try recording(["--no-redact", "--deny-host", "denied.example", "--verbose", "--debug-log", "-"]) { proxy in
        try proxy.expectForwarded(vectors: "request-targets", "userinfo and fragments", to: origin)
        let refusals = [
          ("GET ftp://\(secret)/", 400), ("GET http://user:hush@denied.example/", 403),
          ("GET http://user:hush@127.0.0.1:1/", 502),
          ("GET http://user:hush@/", 400), ("GET http://user:hush@a:b/", 400), ("CONNECT \(secret)", 400),
          ("GET http://user:hush@127.0.0.1:\(proxy.port)/nothing", 404), ("GET https://user:hush@127.0.0.1:1/", 502),
        ]
        for (line, status) in refusals {
          let response = try proxy.request("\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").receiveResponse()
          #expect(response.status == status, "\(line)")
          #expect(!response.text.contains("hush") && !response.bodyText.contains("hush"), "\(line): \(response.bodyText)")
        }
        let trace = try proxy.request("TRACE http://\(secret)/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n")
        #expect(try trace.receiveResponse(to: "TRACE").bodyText.hasPrefix("TRACE http://\(origin.authority)/ HTTP/1.1\r\n"))
      }
      #expect(!(try readText(recording.proxy.harPath)).contains("hush"))
      #expect(!recording.proxy.process.errorText.contains("hush") && !recording.proxy.process.outputText.contains("hush"))
    }

    @Test("RFC 9112 3.2.3: authority-form is for CONNECT alone, and needs a port")
    func authorityFormNeedsCONNECTAndAPort() throws {
      try expectRefused(vectors: "request-targets", "authority-form")
    }

    @Test("RFC 9112 3.2: a target of no form is refused")
    func aTargetOfNoFormIsRefused() throws {
      try expectRefused(vectors: "request-targets", "targets")
    }

    @Test("RFC 9110 4.2: a scheme other than http and https is refused with an explanation, and the connection goes on")
    func otherSchemesAreRefused() throws {
      let origin = try ScriptedOrigin.echo()
      let recording = try recording { proxy in
        let client = try proxy.connect()
        for scheme in ["ftp", "file", "httpx", "h.t+t-p"] {
          try client.send("GET \(scheme)://\(origin.authority)/ HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.status == 400, "\(scheme)")
          #expect(response.bodyText.contains("https://"), "\(scheme)")
          #expect(response.value(of: "Proxy-Status") == "tapeline; error=http_request_error", "\(scheme)")
          #expect(response.value(of: "Connection") == nil, "\(scheme)")
        }
        try client.send("OPTIONS * HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "OPTIONS").status == 400, "* is for a server")
      }
      #expect(origin.connections.isEmpty)
      #expect(Set(recording.entries.map { $0.error?["kind"]?.string }) == ["unsupported-scheme", "unsupported-target"])
    }

    @Test("RFC 9112 3.2.1: origin-form is for the proxy itself, and its text is shown as text")
    func originFormIsForTheProxy() throws {
      _ = try recording { proxy in
        let client = try proxy.connect()
        try client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
        try client.send("GET /<script>alert(1)</script>\u{1b}%0d HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
        #expect(try client.receiveResponse().status == 400, "no byte of a target is a control")
        let other = try proxy.connect()
        try other.send(.latin1("GET /<script>\u{E9}\u{9B}%0d?<q> HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n"))
        let response = try other.receiveResponse()
        #expect(response.status == 404)
        #expect(response.value(of: "Content-Type") == "text/plain; charset=utf-8", "nothing in it is markup")
        #expect(response.body.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }, "\(response.bodyText)")
      }
    }
  }
}
