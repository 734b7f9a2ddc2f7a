import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What another proxy must not see, through a tunnel that it opens.
  @Suite struct UpstreamProxyTunnels {
    @Test("RFC 9110 9.3.6: a client's CONNECT goes on to the upstream proxy, and bytes both ways are those that came")
    func relayed() throws {
      let upstream = try ScriptedOrigin([
        .expectHead, .delay(milliseconds: 80), .send("HTTP/1.1 200 OK\r\nX: 1\r\n\r\n"), .expect(bytes: 4), .send("pong"),
        .expectEnd,
      ])
      let recording = try recording(["--upstream-proxy", "http://me:secret@\(upstream.authority)"]) { proxy in
        let client = try proxy.request(
          "CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test\r\nProxy-Authorization: Basic Y2xpZW50\r\nVia: 1.0 first\r\n\r\n"
        )
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        try client.send("ping")
        #expect(try client.receive(exactly: 4) == Array("pong".utf8))
      }
      let lines = try #require(upstream.connections.first).receivedText.split(separator: "\r\n")
      #expect(
        lines.prefix(3) == [
          "CONNECT origin.test:443 HTTP/1.1", "Host: origin.test:443", "Proxy-Authorization: Basic bWU6c2VjcmV0",
        ])
      #expect(lines.dropFirst(3).first == "Via: 1.0 first")
      #expect(lines.dropFirst(4).first?.hasPrefix("Via: 1.1 tapeline-") == true)
      #expect(lines.dropFirst(5) == ["ping"])
      let entry = try recording.entry("https://origin.test:443/")
      #expect(entry.upstreamProxy == upstream.authority)
      let tunnelTime = try #require(entry.tunnelTime)
      #expect(tunnelTime >= 80)
      #expect(entry.phase("connect") >= tunnelTime, "opening the tunnel is a part of connecting")
      let events = entry.tree["_events"]
      let began = try #require(events?["proxyConnectStart"]?.number)
      let ended = try #require(events?["proxyConnectEnd"]?.number)
      #expect(abs((ended - began) / 1_000 - tunnelTime) < 0.002)
      #expect(entry.tree["_tunnel"]?["toServer"]?.integer == 4)
      try HARValidators.expectAccepted(recording.log.path)

      let show = try TestProcess(TapelineProcess.binary, ["show", recording.log.path, "1", "--color", "never"])
      #expect(try show.wait() == .exited(0))
      #expect(show.outputText.contains("upstream proxy \(upstream.authority), a tunnel opened in "), "\(show.outputText)")
    }

    @Test("RFC 9110 9.3.6: the half-close of either side goes through the tunnel")
    func halfClose() throws {
      let upstream = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .expectEnd, .send("after the end"), .close,
      ])
      _ = try recording(["--upstream-proxy", upstream.url("")]) { proxy in
        let client = try proxy.request("CONNECT origin.test:7 HTTP/1.1\r\nHost: origin.test:7\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        try client.halfClose()
        #expect(try client.receiveToEnd().bytes == Array("after the end".utf8))
      }
    }

    @Test("RFC 9110 9.3.6: of HTTPS that is decrypted here, the upstream proxy learns host and port")
    func intercepted() throws {
      let directory = try TemporaryDirectory()
      let upstream = try ScriptedOrigin([.expectHead, .respond("503 Full", body: "later"), .expectEnd])
      let recording = try recording(["--intercept", "--ca-dir", directory.path, "--upstream-proxy", upstream.url("")]) { proxy in
        let curl = try proxy.curl(["--cacert", directory.path("ca.pem"), "-H", "X-Secret: 1", "https://origin.test/secret"])
        #expect(!curl.errorText.isEmpty)
      }
      let text = try #require(upstream.connections.first).receivedText
      #expect(text.hasPrefix("CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\nVia: 1.1 tapeline-"))
      #expect(!text.contains("ecret") && !text.contains("curl"))
      #expect(try recording.entry("https://origin.test:443/").error?["kind"]?.string == "tunnel-refused-503")
    }

    @Test("RFC 6455 4.1: a WebSocket in clear goes through a tunnel, and its request in origin-form")
    func webSocket() throws {
      let upstream = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .expectRequest,
        .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), .expect(bytes: 4),
        .send("pong"),
        .expectEnd,
      ])
      let recording = try recording(["--upstream-proxy", "http://me:secret@\(upstream.authority)"]) { proxy in
        let client = try proxy.request(
          "GET http://ws.test/chat HTTP/1.1\r\nHost: ws.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        #expect(try client.receiveHead().status == 101)
        try client.send("ping")
        #expect(try client.receive(exactly: 4) == Array("pong".utf8))
      }
      let connect = try #require(upstream.connections.first).receivedText
      #expect(connect.hasPrefix("CONNECT ws.test:80 HTTP/1.1\r\nHost: ws.test:80\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n"))
      let request = try #require(upstream.requests.first)
      #expect(request.startLine == "GET /chat HTTP/1.1")
      #expect(request.values(of: "Proxy-Authorization") == [], "the tunnel's end is the origin")
      let entry = try recording.entry("/chat")
      #expect(entry.status == 101)
      #expect(entry.tunnelTime != nil)
    }
  }
}
