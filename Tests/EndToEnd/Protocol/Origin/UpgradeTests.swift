import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What follows a 101, and what a 101 may follow.
  @Suite struct Upgrades {
    @Test("RFC 9110 15.2.2: A 101 that nobody asked for is no tunnel but 502")
    func aSwitchThatNobodyAskedForIsNoTunnel() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello"), .expectEnd,
      ])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse().status == 502)
      }
    }

    @Test("RFC 9110 7.8: An upgrade is passed on, and the origin may go on in HTTP/1.1")
    func anUpgradeMayBeDeclinedByTheOrigin() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "plain"), .expectEnd])
      _ = try recording { proxy in
        let client = try proxy.request(
          "GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
        #expect(try client.receiveResponse().bodyText == "plain")
      }
      let request = try #require(origin.requests.first)
      #expect(request.values(of: "Upgrade") == ["echo"])
      #expect(request.values(of: "Connection") == ["Upgrade"])
    }

    @Test("RFC 9110 7.8: After a 101 that was asked for bytes go both ways, those behind the heads first")
    func upgraded() throws {
      let origin = try ScriptedOrigin([
        .expectHead,
        .send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nContent-Length: 7\r\n\r\nearly"),
        .expect(bytes: 4), .send("late"), .halfClose, .expectEnd,
      ])
      let recording = try recording { proxy in
        let client = try proxy.request(
          "GET \(origin.url("/up")) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: upgrade, X-Hop\r\nX-Hop: 1\r\nUpgrade: echo\r\n\r\n"
        )
        #expect(
          try client.receiveHead().text
            == "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
        #expect(try client.receive(exactly: 5) == Array("early".utf8))
        try client.send("ping")
        #expect(try client.receiveToEnd().bytes == Array("late".utf8))
        try client.halfClose()
        _ = try origin.waitForFinished(1)
      }
      #expect(
        origin.connections.first?.receivedText
          == "GET /up HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nping"
      )
      let entry = try recording.entry("/up")
      #expect(entry.status == 101)
      #expect(entry.tree["_upgrade"]?["toServer"]?.integer == 4)
      #expect(entry.tree["_upgrade"]?["toClient"]?.integer == 9)
    }

    @Test("RFC 9113 3.1: An upgrade to h2c is not passed on, and a 101 to it is 502")
    func clearHTTP2() throws {
      let exchange = try relaying(
        [.expectRequest, .send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"), .expectEnd],
        request: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"])
      #expect(exchange.text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
      #expect(exchange.receivedText == "GET /x0 HTTP/1.1\r\nHost: \(exchange.origin.authority)\r\nConnection: close\r\n\r\n")
    }

    @Test("RFC 9110 7.8: An HTTP/1.0 client cannot upgrade, and a request with content is not upgraded")
    func notUpgraded() throws {
      let old = try relaying(
        [.expectRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\n\r\n"), .expectEnd],
        request: ["Connection: Upgrade", "Upgrade: echo"], version: "1.0")
      #expect(old.text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
      #expect(!old.receivedText.contains("pgrade"))
      let content = try relaying(
        [.expectRequest, .respond(body: "plain"), .expectEnd],
        request: ["Connection: Upgrade", "Upgrade: echo", "Content-Length: 2"], method: "POST", body: "hi")
      #expect(content.text.hasSuffix("\r\n\r\nplain"))
      #expect(!content.receivedText.contains("pgrade"))
    }
  }
}
