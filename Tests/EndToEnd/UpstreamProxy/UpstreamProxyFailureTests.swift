import TapelineTestSupport
import Testing

extension EndToEnd {
  /// An upstream proxy that does not do what it is there for: the client hears who has failed and how, and so does the log.
  @Suite struct UpstreamProxyFailures {
    struct Failing: Sendable, CustomTestStringConvertible {
      let what: String
      let script: [OriginStep]
      var status = 502
      let kind: String
      let error: String
      let text: String

      var testDescription: String { what }
    }

    private static let challenge = #"Proxy-Authenticate: Basic realm="corporate""#

    static let common = [
      Failing(
        what: "garbage", script: [.expectHead, .send("SSH-2.0-OpenSSH_9\r\n\r\n"), .expectEnd], kind: "protocol-violation",
        error: "http_protocol_error", text: ""),
      Failing(what: "close", script: [.expectHead, .close], kind: "closed", error: "connection_terminated", text: "closed"),
      Failing(what: "reset", script: [.expectHead, .reset], kind: "reset", error: "connection_terminated", text: ""),
      Failing(
        what: "407", script: [.expectHead, .respond("407 Who", fields: [challenge], body: "who?"), .expectEnd],
        kind: "proxy-authentication-required", error: "proxy_configuration_error", text: "--upstream-proxy"),
    ]

    static let ofTunnels =
      common + [
        Failing(
          what: "403", script: [.expectHead, .respond("403 Not for you", body: "policy"), .expectEnd], kind: "tunnel-refused-403",
          error: "destination_unavailable; received-status=403", text: "no tunnel to origin.test:443: 403 Not for you"),
        Failing(
          what: "502", script: [.expectHead, .respond("502 Bad Gateway"), .expectEnd], kind: "tunnel-refused-502",
          error: "destination_unavailable; received-status=502", text: "502 Bad Gateway"),
        Failing(
          what: "504", script: [.expectHead, .respond("504 Gateway Timeout"), .expectEnd], status: 504,
          kind: "tunnel-refused-504",
          error: "destination_unavailable; received-status=504", text: "504 Gateway Timeout"),
        Failing(
          what: "silence", script: [.expectHead, .expectEnd], status: 504, kind: "timed-out", error: "connection_timeout",
          text: "CONNECT was not answered in time"),
        Failing(
          what: "a head that breaks off", script: [.expectHead, .send("HTTP/1.1 200 OK\r\n"), .close],
          kind: "closed", error: "connection_terminated", text: "before CONNECT was answered"),
      ]

    @Test(
      "RFC 9209 2.3: a CONNECT that the upstream proxy does not carry out is a 502 or a 504 that says why", arguments: ofTunnels)
    func tunnels(failing: Failing) throws {
      let upstream = try ScriptedOrigin(failing.script)
      let patience = failing.kind == "timed-out" ? "300ms" : "30s"
      let recording = try recording(["--upstream-proxy", upstream.url(""), "--connect-timeout", patience]) { proxy in
        let client = try proxy.request("CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n")
        try expect(try client.receiveResponse(), toTellOf: failing, upstream)
      }
      let entry = try recording.entry("https://origin.test:443/", method: "CONNECT")
      expect(entry, toTellOf: failing, phase: ["connect"])
      #expect(entry.tree["_events"]?["proxyConnectStart"] != nil)
      #expect(entry.tree["_events"]?["proxyConnectEnd"] == nil)
      try HARValidators.expectAccepted(recording.log.path)
    }

    @Test("RFC 9209 2.3: a request that the upstream proxy does not forward is a 502 that says why", arguments: common)
    func forwarding(failing: Failing) throws {
      let upstream = try ScriptedOrigin(failing.script)
      let recording = try recording(["--upstream-proxy", upstream.url("")]) { proxy in
        let client = try proxy.request("GET http://origin.test/lost HTTP/1.1\r\nHost: origin.test\r\n\r\n")
        try expect(try client.receiveResponse(), toTellOf: failing, upstream)
      }
      let entry = try recording.entry("/lost")
      expect(entry, toTellOf: failing, phase: ["send", "wait", "receive"])
      #expect(entry.upstreamProxy == upstream.authority)
      try HARValidators.expectAccepted(recording.log.path)
    }

    private func expect(_ response: RawMessage, toTellOf failing: Failing, _ upstream: ScriptedOrigin) throws {
      #expect(response.status == failing.status)
      #expect(response.value(of: "Proxy-Status") == "tapeline; error=\(failing.error)")
      #expect(response.values(of: "Proxy-Authenticate") == [])
      #expect(response.bodyText.hasPrefix("tapeline: upstream proxy \(upstream.authority): "), "\(response.bodyText)")
      #expect(response.bodyText.contains(failing.text), "\(response.bodyText)")
    }

    private func expect(_ entry: RecordedEntry, toTellOf failing: Failing, phase: [String]) {
      #expect(entry.status == 0)
      // The patience that ends it is ours.
      #expect(entry.error?["origin"]?.string == (failing.kind == "timed-out" ? "local" : "upstream-proxy"))
      #expect(phase.contains(entry.error?["phase"]?.string ?? ""), "\(String(describing: entry.error))")
      #expect(entry.error?["kind"]?.string == failing.kind)
      #expect(entry.tree["_localStatus"]?.integer == failing.status)
    }

    @Test("RFC 9110 15.6.3: an upstream proxy that is not there is a 502 that names it")
    func absent() throws {
      let recording = try recording(["--upstream-proxy", "http://127.0.0.1:1"]) { proxy in
        for request in requestAndTunnel {
          let response = try proxy.request(request).receiveResponse()
          #expect(response.status == 502)
          #expect(response.value(of: "Proxy-Status") == "tapeline; error=connection_refused")
          #expect(response.bodyText.contains("upstream proxy 127.0.0.1:1: "))
        }
      }
      #expect(recording.entries.allSatisfy { $0.error?["origin"]?.string == "upstream-proxy" })
      #expect(recording.entries.allSatisfy { $0.error?["kind"]?.string == "refused" })
    }

    @Test("RFC 9110 15.6.3: an upstream proxy whose name is unknown is a 502 that names it")
    func nameless() throws {
      _ = try recording(["--upstream-proxy", "http://nowhere.invalid:3128"]) { proxy in
        let response = try proxy.request("GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\n\r\n").receiveResponse()
        #expect(response.status == 502)
        #expect(response.value(of: "Proxy-Status") == "tapeline; error=dns_error")
        #expect(response.bodyText.contains("upstream proxy nowhere.invalid:3128: "))
      }
    }

    @Test("RFC 9110 15.5.8: a 407 to a request with a body goes no further either, and the client's connection stays in step")
    func body() throws {
      let upstream = try ScriptedOrigin { number in
        number == 0
          ? [.expectRequest, .respond("407 Who", fields: [Self.challenge]), .expectEnd]
          : [.expectRequest, .respond(body: "second"), .expectEnd]
      }
      _ = try recording(["--upstream-proxy", upstream.url("")]) { proxy in
        let client = try proxy.request(
          "POST http://origin.test/a HTTP/1.1\r\nHost: origin.test\r\nContent-Length: 3\r\n\r\nabc"
            + "GET http://origin.test/b HTTP/1.1\r\nHost: origin.test\r\n\r\n")
        #expect(try client.receiveResponse(to: "POST").status == 502)
        #expect(try client.receiveResponse().bodyText == "second")
      }
    }

    @Test("RFC 9112 9.3.1: a shared connection that the upstream proxy has closed is replaced, unseen by the client")
    func replaced() throws {
      let upstream = try ScriptedOrigin { number in
        number == 0
          ? [.expectRequest, .respond(body: "first"), .expectHead, .close]
          : [.expectRequest, .respond(body: "second"), .expectEnd]
      }
      let recording = try recording(["--upstream-proxy", upstream.url(""), "--share-connections", "--threads", "1"]) { proxy in
        let client = try proxy.request("GET http://one.test/1 HTTP/1.1\r\nHost: one.test\r\n\r\n")
        #expect(try client.receiveResponse().bodyText == "first")
        try client.send("GET http://two.test/2 HTTP/1.1\r\nHost: two.test\r\n\r\n")
        #expect(try client.receiveResponse().bodyText == "second")
      }
      #expect(try recording.entry("/2").tree["_attempts"]?.integer == 2)
    }
  }
}
