import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct OldVersions {
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
