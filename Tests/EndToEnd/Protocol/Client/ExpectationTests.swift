import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Expectations {
    @Test("RFC 9110 10.1.1: 100-continue is passed on, and the origin's 100 too, before the body")
    func theBodyWaitsForTheOrigin() throws {
      let origin = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 100 Go on\r\nX-Why: yes\r\n\r\n"), .expect(bytes: 4), .respond(body: "thanks"),
      ])
      _ = try recording { proxy in
        let client = try proxy.request(
          "PUT \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 4\r\nExpect: 100-Continue\r\n\r\n")
        let interim = try client.receiveResponse(to: "PUT")
        #expect(interim.startLine == "HTTP/1.1 100 Go on", "it is the origin's, not ours")
        #expect(interim.value(of: "X-Why") == "yes")
        try client.send("body")
        #expect(try client.receiveResponse(to: "PUT").bodyText == "thanks")
      }
      #expect(
        origin.connections.first?.receivedText
          == "PUT / HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 4\r\nExpect: 100-Continue\r\n\r\nbody"
      )
    }

    @Test("RFC 9110 10.1.1: an expectation that we do not know is the origin's to judge")
    func unknownExpectations() throws {
      let lines = [
        "Expect: miracles", "Expect: 100-continue, miracles", "Expect: 100-continue\r\nExpect: 100-continue", "Expect:",
        "Expect: 100-continue;q=1",
      ]
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond("417 Expectation Failed", body: "no")])])
      let recording = try recording { proxy in
        let client = try proxy.connect()
        for line in lines {
          try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(line)\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.status == 417, "\(line)")
          #expect(response.value(of: "Proxy-Status") == nil, "\(line)")
        }
      }
      let received = try #require(origin.connections.first?.receivedText)
      for line in lines { #expect(received.contains("\r\n\(line)\r\n"), "\(line)") }
      #expect(recording.entries.map(\.status) == lines.map { _ in 417 })
      #expect(recording.entries.allSatisfy { $0.error == nil })
    }

    @Test("RFC 9110 10.1.1: HTTP/1.0 has no expectations")
    func oldClientsExpectNothing() throws {
      let origin = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expect(bytes: 4), .respond(body: "ok"),
      ])
      _ = try recording { proxy in
        let client = try proxy.request("PUT \(origin.url()) HTTP/1.0\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nbody")
        let (bytes, _) = try client.receiveToEnd()
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK\r\n"), "no 100 comes to it")
      }
    }
  }
}
