import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Each bound on what an origin may make us hold: the most that is taken, and one more.
  @Suite struct ResponseLimits {
    private static let end = "Content-Length: 0\r\n\r\n"

    private static func expectTaken(_ head: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let exchange = try relaying([.expectRequest, .send(head), .expectEnd], sourceLocation: sourceLocation)
      #expect(exchange.text.hasPrefix("HTTP/1.1 200 "), sourceLocation: sourceLocation)
      #expect(exchange.entry.error == nil, sourceLocation: sourceLocation)
      #expect(exchange.bytes.count > head.utf8.count, "all of it, and what we add", sourceLocation: sourceLocation)
    }

    /// - Parameter blame: `local` where the limit is an option.
    private static func expectTooLarge(
      _ head: String, blamed blame: String = "upstream", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try expectRefusals(
        [Array(head.utf8)], kind: "head-too-large", blamed: blame, proxyStatus: "http_response_header_section_size",
        sourceLocation: sourceLocation)
    }

    @Test("RFC 9112 4: A status line of 16 KiB is taken, one more byte is 502")
    func statusLine() throws {
      let room = 16 * 1024 - "HTTP/1.1 200 \r\n".utf8.count
      try Self.expectTaken("HTTP/1.1 200 \(String(repeating: "r", count: room))\r\n\(Self.end)")
      try Self.expectTooLarge("HTTP/1.1 200 \(String(repeating: "r", count: room + 1))\r\n\(Self.end)")
    }

    @Test("RFC 9110 5.4: A response's fields of 64 KiB are taken, one more byte is 502")
    func fieldSection() throws {
      let room = 64 * 1024 - "X: \r\n\(Self.end)".utf8.count
      try Self.expectTaken("HTTP/1.1 200 OK\r\nX: \(String(repeating: "v", count: room))\r\n\(Self.end)")
      try Self.expectTooLarge("HTTP/1.1 200 OK\r\nX: \(String(repeating: "v", count: room + 1))\r\n\(Self.end)", blamed: "local")
    }

    @Test("RFC 9110 5.4: 200 field lines of a response are taken, one more is 502")
    func fieldLines() throws {
      try Self.expectTaken("HTTP/1.1 200 OK\r\n\(String(repeating: "X: y\r\n", count: 199))\(Self.end)")
      try Self.expectTooLarge("HTTP/1.1 200 OK\r\n\(String(repeating: "X: y\r\n", count: 200))\(Self.end)")
    }

    @Test("RFC 9110 5.4: A response head without an end is refused when it passes the bound, not later")
    func endlessHead() throws {
      try Self.expectTooLarge("HTTP/1.1 200 OK\r\nX: \(String(repeating: "v", count: 70_000))", blamed: "local")
      try Self.expectTooLarge("HTTP/1.1 200 \(String(repeating: "r", count: 17_000))")
    }

    @Test("RFC 9112 7.1.2: Trailers of 16 KiB are taken")
    func trailers() throws {
      let value = String(repeating: "t", count: 16 * 1024 - "X: \r\n\r\n".utf8.count)
      let exchange = try relaying([
        .expectRequest,
        .send("HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: \(value)\r\n\r\n"),
        .expectEnd,
      ])
      #expect(exchange.text.hasSuffix("\r\n\r\n2\r\nok\r\n0\r\nX: \(value)\r\n\r\n"))
      #expect(exchange.entry.error == nil)
    }

    @Test("RFC 9110 5.4: --max-header-size bounds responses too")
    func option() throws {
      let head = "HTTP/1.1 200 OK\r\nX: \(String(repeating: "v", count: 5000))\r\n\(Self.end)"
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
