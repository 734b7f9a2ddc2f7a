import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct OldVersions {
    @Test func anOldClientGetsNoChunks() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"),
        .expectEnd,
      ])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/old")) HTTP/1.0\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.value(of: "Transfer-Encoding") == nil)
        #expect(response.startLine == "HTTP/1.1 200 OK")
        #expect(response.bodyText == "abcdef")
      }
      #expect(origin.requests.first?.startLine == "GET /old HTTP/1.1")
      #expect(origin.requests.first?.value(of: "Via") == "1.0 tapeline")
      let entry = try recording.entry("/old")
      #expect(entry.request?["httpVersion"]?.string == "HTTP/1.0")
      #expect(entry.contentText == "abcdef")
    }

    @Test func anOldClientKeepsItsConnectionIfItAsks() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      _ = try recording { proxy in
        let client = try proxy.connect()
        for _ in 0..<2 {
          try client.send("GET \(origin.url()) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.value(of: "Connection")?.lowercased() == "keep-alive")
          #expect(response.bodyText == "x")
        }
        try client.send("GET \(origin.url()) HTTP/1.0\r\n\r\n")
        #expect(try client.receiveResponse().bodyText == "x")
        #expect(try client.receiveToEnd().octets == [])
      }
    }

    @Test func anOldOriginEndsItsBodyByClosing() throws {
      let body = patternedOctets(200_000)
      let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.0 200 OK\r\nServer: old\r\n\r\n"), .send(body), .close])
      let recording = try recording { proxy in
        let client = try proxy.connect()
        for _ in 0..<2 {
          try client.send("GET \(origin.url("/file")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.startLine == "HTTP/1.1 200 OK")
          #expect(response.value(of: "Via") == "1.0 tapeline")
          #expect(response.value(of: "Date") != nil, "added where the origin has none")
          #expect(response.body == body)
        }
      }
      #expect(origin.connections.count == 2)
      #expect(recording.entries.map(\.responseBodySize) == [200_000, 200_000])
      #expect(recording.entries.allSatisfy { $0.response?["httpVersion"]?.string == "HTTP/1.0" })
    }
  }
}
