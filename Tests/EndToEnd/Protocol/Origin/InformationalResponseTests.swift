import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct InformationalResponses {
    @Test("RFC 9110 15.2: 1xx responses are forwarded as they come, and recorded")
    func areForwardedAsTheyCome() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"),
        .send("HTTP/1.1 102 Processing\r\n\r\n"), .respond(body: "done"),
      ])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let hints = try client.receiveResponse()
        #expect(hints.status == 103)
        #expect(hints.text == "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
        #expect(try client.receiveResponse().text == "HTTP/1.1 102 Processing\r\n\r\n")
        #expect(try client.receiveResponse().bodyText == "done")
      }
      #expect(recording.entries.map(\.status) == [200])
      #expect(recording.entries.first?.tree["_informational"]?.elements.compactMap { $0["status"]?.integer } == [103, 102])
    }

    @Test("RFC 9110 15.2: An HTTP/1.0 client gets no 1xx")
    func areKeptFromOldClients() throws {
      let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .respond(body: "done")])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.0\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
      }
    }

    @Test("RFC 9110 10.1.1: 100-continue is passed on, and the content waits for the origin's 100")
    func theBodyWaitsForContinue() throws {
      let origin = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expect(bytes: 4), .respond(body: "thanks"),
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

    @Test("RFC 9110 10.1.1: A refusal of the expectation comes before the content")
    func aRefusalComesWithoutTheBody() throws {
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

    @Test("RFC 9110 15.2: Framing and hop-by-hop fields of a 1xx end here")
    func fieldsOfInterimResponses() throws {
      try expectRelayed(vectors: "response-heads", "informational responses")
    }

    @Test("RFC 9110 15.2: A thousand 1xx responses are forwarded; more than 1 MiB of them are refused")
    func limit() throws {
      try expectRelayed(vectors: "response-limits", "informational responses")
      for refused in try WireVectors.read("response-limits").refusedResponses("informational responses") {
        let tooMany = try relaying([.expectRequest, .send(refused.bytes), .expectEnd])
        #expect(tooMany.text.hasPrefix("HTTP/1.1 102 Processing\r\n\r\n"))
        #expect(tooMany.text.contains("\r\n\r\nHTTP/1.1 502 Bad Gateway\r\n"))
        #expect(tooMany.entry.error?["kind"]?.string == refused.kind)
        #expect(tooMany.entry.error?["origin"]?.string == refused.blamed)
        #expect(tooMany.entry.error?["option"]?.string == "--max-header-size")
      }
    }
  }
}
