import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct InformationalResponses {
    @Test func areForwardedAsTheyCome() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"),
        .send("HTTP/1.1 102 Processing\r\n\r\n"), .respond(body: "done"),
      ])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let hints = try client.receiveResponse()
        #expect(hints.status == 103)
        #expect(hints.value(of: "Link") == "</style.css>; rel=preload")
        #expect(try client.receiveResponse().status == 102)
        #expect(try client.receiveResponse().bodyText == "done")
      }
      #expect(recording.entries.map(\.status) == [200])
    }

    @Test func areKeptFromOldClients() throws {
      let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .respond(body: "done")])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.0\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
      }
    }

    @Test func theBodyWaitsForContinue() throws {
      let origin = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expect(octets: 4), .respond(body: "thanks"),
      ])
      _ = try recording { proxy in
        let client = try proxy.request(
          "PUT \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.receiveResponse(to: "PUT").status == 100)
        try client.send("body")
        #expect(try client.receiveResponse(to: "PUT").bodyText == "thanks")
      }
      let text = try #require(origin.connections.first).receivedText
      #expect(text.contains("Expect: 100-continue\r\n"))
      #expect(text.split(separator: "100-continue").count == 2, "once")
      #expect(text.hasSuffix("\r\n\r\nbody"))
    }

    @Test func aRefusalComesWithoutTheBody() throws {
      let origin = try ScriptedOrigin([
        .expectHead, .respond("417 Expectation Failed", fields: ["Connection: close"], body: "no"), .expectEnd,
      ])
      let recording = try recording { proxy in
        let client = try proxy.request(
          "PUT \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.receiveResponse(to: "PUT").status == 417)
      }
      #expect(recording.entries.map(\.status) == [417])
    }

    @Test func anUnknownExpectationFails() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond()])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nExpect: miracles\r\n\r\n")
        #expect(try client.receiveResponse().status == 417)
      }
      #expect(origin.requests.isEmpty)
    }

    @Test func aSwitchThatNobodyAskedForIsNoTunnel() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello"), .expectEnd,
      ])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse().status == 502)
      }
    }

    /// RFC 9110 7.8: an upgrade is passed on, and an origin that does not want it goes on in HTTP/1.1.
    @Test func anUpgradeMayBeDeclinedByTheOrigin() throws {
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
  }
}
