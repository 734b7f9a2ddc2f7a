import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct OldClients {
    @Test("RFC 9112 6.1: a client of HTTP/1.0 gets no chunks, and the close ends its body")
    func noChunks() throws {
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\nX-Sum: 1\r\n\r\n"),
        .expectEnd,
      ])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/old")) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.value(of: "Transfer-Encoding") == nil)
        #expect(response.startLine == "HTTP/1.1 200 OK")
        #expect(response.values(of: "Connection") == ["close"], "even for one who asks to go on")
        #expect(response.bodyText == "abcdef")
      }
      #expect(origin.requests.first?.startLine == "GET /old HTTP/1.1")
      #expect(origin.requests.first?.value(of: "Connection") == "keep-alive", "what the client asks of its connection")
      let entry = try recording.entry("/old")
      #expect(entry.request?["httpVersion"]?.string == "HTTP/1.0")
      #expect(entry.contentText == "abcdef")
    }

    @Test("RFC 9112 9.3: a client of HTTP/1.0 keeps its connection only if it asks")
    func persistenceIfAsked() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      _ = try recording { proxy in
        let client = try proxy.connect()
        for _ in 0..<2 {
          try client.send("GET \(origin.url()) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.values(of: "Connection") == ["keep-alive"])
          #expect(response.bodyText == "x")
        }
        try client.send("GET ftp://x/ HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
        #expect(try client.receiveResponse().values(of: "Connection") == ["keep-alive"], "so for our own answers")
        try client.send("GET \(origin.url()) HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n")
        let last = try client.receiveResponse()
        #expect(last.bodyText == "x")
        #expect(last.values(of: "Connection") == ["close"], "Proxy-Connection was never a standard")
        #expect(try client.receiveToEnd().bytes == [])
      }
    }
  }
}
