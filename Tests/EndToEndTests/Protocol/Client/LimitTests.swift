import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Each bound at its edge: what is as long as the bound is forwarded, one byte more is refused.
  @Suite struct RequestLimits {
    /// `count` bytes that begin with `start` and end with `end`.
    private static func filled(_ start: String, _ end: String, to count: Int) -> String {
      start + String(repeating: "a", count: count - start.utf8.count - end.utf8.count) + end
    }

    /// Which of `texts` are answered with what, each on a connection of its own; the first one is within the bound.
    private static func expect(
      _ statuses: [Int], _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation,
      _ texts: (String) -> [String]
    ) throws {
      let origin = try ScriptedOrigin.echo()
      _ = try recording(options, sourceLocation: sourceLocation) { proxy in
        var found: [Int] = []
        for text in texts(origin.authority) {
          let client = try proxy.request(text)
          let response = try client.receiveResponse()
          found.append(response.status)
          guard response.status != 200 else { continue }
          #expect(response.values(of: "Connection") == ["close"], sourceLocation: sourceLocation)
          #expect(response.bodyText.contains("limit"), "\(response.bodyText)", sourceLocation: sourceLocation)
          #expect(try client.receiveToEnd().bytes == [], sourceLocation: sourceLocation)
        }
        #expect(found == statuses, sourceLocation: sourceLocation)
      }
      #expect(origin.requests.count == statuses.count { $0 == 200 }, sourceLocation: sourceLocation)
    }

    @Test("RFC 9112 3: a request line has at most 16 KiB, or 414")
    func requestLine() throws {
      try Self.expect([200, 414, 414]) { origin in
        let lines = [16_384, 16_385].map {
          Self.filled("GET http://\(origin)/", " HTTP/1.1\r\n", to: $0) + "Host: \(origin)\r\n\r\n"
        }
        // Nobody waits for a line that has become too long to end.
        return lines + [Self.filled("GET http://\(origin)/", "", to: 16_385)]
      }
    }

    @Test("RFC 9110 5.4: the fields of a head have at most 64 KiB, or 431; --max-header-size moves it")
    func headerBlock() throws {
      for (options, limit) in [([], 65_536), (["--max-header-size", "2KiB"], 2048), (["--max-header-size", "128KiB"], 131_072)] {
        try Self.expect([200, 431], options) { origin in
          [limit, limit + 1].map {
            "GET http://\(origin)/ HTTP/1.1\r\n" + Self.filled("Host: \(origin)\r\nX: ", "\r\n\r\n", to: $0)
          }
        }
      }
    }

    @Test("RFC 9110 5.4: a head has at most 200 fields, or 431")
    func fieldCount() throws {
      try Self.expect([200, 431]) { origin in
        [199, 200].map { "GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\(String(repeating: "X:\r\n", count: $0))\r\n" }
      }
    }

    @Test("RFC 9112 7.1.1: a chunk extension has at most 1 KiB, or 400")
    func chunkExtension() throws {
      try Self.expect([200, 400]) { origin in
        [1024, 1025].map {
          "POST http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\nTransfer-Encoding: chunked\r\n\r\n1"
            + Self.filled(";", "\r\n", to: $0 + 2)
            + "x\r\n0\r\n\r\n"
        }
      }
    }

    @Test("RFC 9112 7.1.2: trailers have at most 16 KiB and 200 fields, or 431")
    func trailers() throws {
      try Self.expect([200, 431, 200, 431]) { origin in
        [
          Self.filled("X: ", "\r\n\r\n", to: 16_384), Self.filled("X: ", "\r\n\r\n", to: 16_385),
          String(repeating: "X:\r\n", count: 200) + "\r\n", String(repeating: "X:\r\n", count: 201) + "\r\n",
        ].map { "POST http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\($0)" }
      }
    }

    @Test("RFC 9110 8.6: the longest length is 63 bits, and is announced as it is")
    func longestLength() throws {
      let origin = try ScriptedOrigin([.expectHead, .respond("413 Content Too Large", body: "no"), .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request(
          "PUT \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 9223372036854775807\r\n\r\nbegin")
        #expect(try client.receiveResponse(to: "PUT").status == 413)
      }
      #expect(origin.connections.first?.receivedText.contains("\r\nContent-Length: 9223372036854775807\r\n") == true)
      #expect(recording.entries.map(\.status) == [413])
    }
  }
}
