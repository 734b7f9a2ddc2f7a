import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Pipelining {
    @Test("RFC 9112 9.3.2: pipelined requests are answered in order, with our own answers among them")
    func answersInOrder() throws {
      let origin = try ScriptedOrigin([.forever([.answer { .response(body: Array($0.startLine.utf8)) }])])
      let recording = try recording { proxy in
        func get(_ url: String, _ more: String = "") -> String { "GET \(url) HTTP/1.1\r\nHost: x\r\n\(more)\r\n" }
        let client = try proxy.request(
          get(origin.url("/1")) + get("ftp://x/") + get("http://127.0.0.1:1/refused")
            + get("http://127.1:\(proxy.port)/2")
            + get(origin.url("/3"), "Upgrade: connect-udp\r\n") + get("/nothing") + get(origin.url("/4"), "Content-Length: 2\r\n")
            + "ok"
            + get(origin.url("/5"), "Content-Length: x\r\n") + get(origin.url("/6")))
        var statuses: [Int] = []
        for _ in 1...8 { statuses.append(try client.receiveResponse().status) }
        #expect(statuses == [200, 400, 502, 508, 501, 421, 200, 400])
        #expect(try client.receiveToEnd().bytes == [], "nothing is read behind what lost its framing")
      }
      #expect(origin.requests.map(\.startLine) == ["GET /1 HTTP/1.1", "GET /4 HTTP/1.1"])
      #expect(
        recording.entries.map { $0.error?["kind"]?.string } == [
          nil, "unsupported-scheme", "refused", "loop-detected", "unsupported-command", nil, nil, "invalid-content-length",
        ])
    }

    @Test("RFC 9112 9.3.2: a pipeline may be cut anywhere")
    func everySplit() throws {
      let origin = try ScriptedOrigin([.forever([.answer { .response(body: Array($0.startLine.utf8) + $0.body) }])])
      _ = try recording { proxy in
        let bytes = Array(
          ("POST \(origin.url("/a")) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc\r\n"
            + "GET \(origin.url("/b")) HTTP/1.1\r\nHost: x\r\n\r\n")
            .utf8)
        let client = try proxy.connect()
        for split in bytes.indices {
          try client.send(Array(bytes[..<split]))
          try client.send(Array(bytes[split...]))
          #expect(try client.receiveResponse(to: "POST").bodyText == "POST /a HTTP/1.1abc", "cut at \(split)")
          #expect(try client.receiveResponse().bodyText == "GET /b HTTP/1.1", "cut at \(split)")
        }
      }
    }

    @Test("RFC 9112 9.6: close is kept, and ends the connection behind the answer")
    func closeEndsTheConnection() throws {
      let origin = try ScriptedOrigin.echo()
      _ = try recording { proxy in
        for (lines, told) in [
          ("Connection: close\r\n", "close"), ("Connection: keep-alive, CLOSE\r\n", "keep-alive, CLOSE"),
          ("Connection: x\r\nConnection: close\r\n", "close"),
        ] {
          let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(lines)\r\n")
          let response = try client.receiveResponse()
          #expect(response.values(of: "Connection") == ["close"])
          #expect(response.bodyText.contains("\r\nConnection: \(told)\r\n"), "the connection to the origin is the client's too")
          #expect(try client.receiveToEnd().bytes == [])
        }
      }
    }
  }
}
