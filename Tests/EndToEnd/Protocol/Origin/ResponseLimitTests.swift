import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Each bound on what an origin may make us hold: the most that is taken, and one more. `Tests/Fixtures/wire` has the
  /// responses.
  @Suite struct ResponseLimits {
    private static func expectTaken(_ group: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let sent = try WireVectors.read("response-limits").passed(group)
      let exchanges = try expectRelayed(vectors: "response-limits", group, sourceLocation: sourceLocation)
      for (message, exchange) in zip(sent, exchanges) {
        #expect(exchange.text.hasPrefix("HTTP/1.1 200 "), sourceLocation: sourceLocation)
        #expect(exchange.entry.error == nil, sourceLocation: sourceLocation)
        #expect(exchange.bytes.count > message.text.utf8.count, "all of it, and what we add", sourceLocation: sourceLocation)
      }
    }

    @Test("RFC 9112 4: A status line of 1 MiB is taken, one more byte is 502")
    func statusLine() throws {
      try Self.expectTaken("status line")
      try expectRefusals(vectors: "response-limits", "status line")
    }

    @Test("RFC 9110 5.4: A response's fields of 1 MiB are taken, one more byte is 502")
    func fieldSection() throws {
      try Self.expectTaken("fields")
      try expectRefusals(vectors: "response-limits", "fields")
    }

    @Test("RFC 9110 5.4: 10,000 field lines of a response are taken, one more is 502")
    func fieldLines() throws {
      try Self.expectTaken("field lines")
      try expectRefusals(vectors: "response-limits", "field lines")
    }

    @Test("RFC 9110 5.4: A response head without an end is refused when it passes the bound, not later")
    func endlessHead() throws {
      try expectRefusals(vectors: "response-limits", "heads without an end")
    }

    @Test("RFC 9112 7.1.2: Trailers of 1 MiB are taken")
    func trailers() throws {
      try Self.expectTaken("trailers")
    }

    @Test("RFC 9110 5.4: --max-header-size bounds responses too")
    func option() throws {
      let head = "HTTP/1.1 200 OK\r\nX: \(String(repeating: "v", count: 5000))\r\nContent-Length: 0\r\n\r\n"
      let exchange = try relaying([.expectRequest, .send(head), .expectEnd], options: ["--max-header-size", "4KiB"])
      #expect(exchange.text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
      #expect(exchange.entry.error?["kind"]?.string == "head-too-large")
      #expect(exchange.entry.error?["origin"]?.string == "local")
      #expect(exchange.entry.error?["option"]?.string == "--max-header-size")
    }

    @Test("RFC 9112 2.2: A head is the same in whatever pieces it comes")
    func pieces() throws {
      let response =
        "HTTP/1.1 200 OK\r\nDate: now\r\nX: a\r\n b\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: 1\r\n\r\n"
      let bytes = Array(response.utf8)
      let origin = try ScriptedOrigin { number in
        // One byte at a time; then cut in two at every place that another connection stands for.
        number == 0
          ? [.expectRequest] + bytes.map { .send([$0]) } + [.expectEnd]
          : [.expectRequest, .send(Array(bytes[..<number])), .send(Array(bytes[number...])), .expectEnd]
      }
      _ = try recording { proxy in
        for _ in 0..<bytes.count {
          let client = try proxy.request(origin.absoluteRequest("/"))
          let relayed = try client.receiveResponse()
          #expect(
            relayed.text == "HTTP/1.1 200 OK\r\nDate: now\r\nX: a b\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
          #expect(relayed.bodyText == "abc")
          #expect(relayed.trailers.map(\.name) == ["T"])
        }
      }
      #expect(origin.connections.count == bytes.count)
    }
  }
}
