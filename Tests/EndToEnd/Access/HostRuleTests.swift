import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `--allow-host` and `--deny-host`, in every way that a client can name a host.
  @Suite struct HostRules {
    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(body: "reached")])])
    }

    /// A request and a CONNECT, and the statuses that they get.
    private static func expect(
      _ statuses: [Int], _ authority: String, _ proxy: TapelineProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let get = try proxy.request("GET http://\(authority)/ HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
      let tunnel = try proxy.request("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
      let received = [try get.receiveResponse().status, try tunnel.receiveResponse(to: "CONNECT").status]
      #expect(received == statuses, "\(authority)", sourceLocation: sourceLocation)
    }

    @Test("RFC 9110 15.5.4: what is not allowed is forbidden, with a page and an entry that say so")
    func allowed() throws {
      let (open, other) = (try Self.answering(), try Self.answering())
      let recording = try recording(["--allow-host", "127.0.0.1:\(open.port)", "--allow-host", "*.invalid"]) { proxy in
        try Self.expect([200, 200], open.authority, proxy)
        try Self.expect([502, 502], "a.B.invalid:80", proxy)
        for authority in [other.authority, "localhost:\(open.port)", "[::1]:\(open.port)", "127.1:\(open.port)", "invalid:80"] {
          try Self.expect([403, 403], authority, proxy)
        }
        let refused = try proxy.request("GET \(other.url("/told")) HTTP/1.1\r\nHost: \(other.authority)\r\n\r\n")
        let page = try refused.receiveResponse()
        #expect(page.value(of: "Proxy-Status") == "tapeline; error=http_request_denied")
        #expect(page.value(of: "Connection") == nil, "the request was read to its end")
        #expect(page.bodyText == "tapeline: this proxy was told not to reach 127.0.0.1 (--allow-host, --deny-host)\n")
      }
      #expect(other.connections.isEmpty)
      let entry = try recording.entry("/told")
      #expect(entry.error?["kind"]?.string == "host-denied")
      #expect(recording.entries.filter { $0.error?["kind"]?.string == "host-denied" }.count == 11)
    }

    @Test("RFC 9110 4.2.3: names have no case, a trailing dot changes nothing, and denial wins")
    func denied() throws {
      let origin = try Self.answering()
      let options = ["--allow-host", "*", "--deny-host", "localhost", "--deny-host", "*.denied.invalid", "--deny-host", "*:1"]
      let recording = try recording(options) { proxy in
        let port = origin.port
        for authority in ["localhost:\(port)", "LocalHost:\(port)", "localhost.:\(port)", "x.denied.invalid:80", "127.0.0.1:1"] {
          try Self.expect([403, 403], authority, proxy)
        }
        try Self.expect([200, 200], origin.authority, proxy)
        try Self.expect([502, 502], "denied.invalid:80", proxy)
      }
      #expect(origin.connections.count == 2)
      #expect(recording.entries.count == 14)
    }

    @Test("RFC 9110 7.6: inside a tunnel that is read, the host that a request names is judged too, and logged is where it went")
    func named() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let options = ["--intercept", "--ca-dir", directory.path, "--deny-host", "denied.invalid"]
      let recording = try recording(options) { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        try #require(try client.receiveResponse(to: "CONNECT").status == 200)
        for (request, status) in [
          ("GET /own HTTP/1.1\r\nHost: \(origin.authority)", 200), ("GET /other HTTP/1.1\r\nHost: other.invalid", 200),
          ("GET /denied HTTP/1.1\r\nHost: Denied.invalid:80", 403), ("GET /empty HTTP/1.1\r\nHost: denied.invalid:", 403),
          ("GET http://other.invalid/absolute HTTP/1.1\r\nHost: other.invalid", 200),
          ("GET http://denied.invalid/too HTTP/1.1\r\nHost: other.invalid", 403),
        ] {
          try client.send("\(request)\r\n\r\n")
          #expect(try client.receiveResponse().status == status, "\(request)")
        }
      }
      #expect(
        recording.entries.map(\.url)
          == ["own", "other", "denied", "empty", "absolute", "too"].map { "http://\(origin.authority)/\($0)" })
      #expect(
        recording.entries.map { $0.error?["kind"]?.string } == [nil, nil, "host-denied", "host-denied", nil, "host-denied"])
      #expect(recording.entries[0].comment == nil)
      for (entry, host) in zip(recording.entries.dropFirst(), ["other", "denied", "denied", "other", "denied"]) {
        #expect(entry.comment?.contains("the request names \(host).invalid, and went where the tunnel leads") == true)
      }
    }

    @Test(
      "RFC 9209 2.3.5: an address that is denied is reached by no name that leads there",
      arguments: ["127.0.0.1", "127.0.0.0/8", "127.0.0.1:PORT"])
    func deniedAddress(pattern: String) throws {
      let origin = try Self.answering()
      let pattern = pattern.replacing("PORT", with: "\(origin.port)")
      let recording = try recording(["--deny-host", pattern, "--deny-host", "::1"]) { proxy in
        for host in ["127.0.0.1", "localhost", "127.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"] {
          try Self.expect([403, 403], "\(host):\(origin.port)", proxy)
        }
      }
      #expect(origin.connections.isEmpty)
      #expect(
        recording.entries.allSatisfy {
          ["host-denied", "destination-prohibited"].contains($0.error?["kind"]?.string ?? "")
        })
    }

    @Test("RFC 6066 3: the name in the hello of TLS that comes directly counts as well")
    func directTLS() throws {
      let directory = try TemporaryDirectory()
      let options = ["--intercept", "--ca-dir", directory.path("ca"), "--deny-host", "*.denied.invalid"]
      let recording = try recording(options) { proxy in
        for (name, outcome) in [("x.denied.invalid", "unrecognized name"), ("x.allowed.invalid", "CONNECTION ESTABLISHED")] {
          let probe = try TestProcess(
            "openssl", ["s_client", "-connect", "127.0.0.1:\(proxy.port)", "-servername", name, "-brief"])
          try probe.wait()
          #expect(probe.errorText.contains(outcome), "\(name): \(probe.errorText)")
        }
      }
      #expect(recording.entries.filter { $0.error?["kind"]?.string == "host-denied" }.count == 1)
    }

    @Test("What is no pattern is refused before anything starts", arguments: ["", "http://a", "a:0", "10.0.0.0/40", "a b"])
    func wrongPatterns(text: String) throws {
      for option in ["--allow-host", "--deny-host"] {
        let process = try TestProcess(TapelineProcess.binary, ["record", "\(option)=\(text)"])
        #expect(try process.wait() == .exited(64))
        #expect(process.errorText.contains(option))
      }
    }
  }
}
