import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct ChunkedRequests {
    /// Says what arrived: the content, then the trailer lines.
    private static func origin() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([.answer { .response(body: $0.body + $0.trailers.flatMap { Array("|\($0.name): \($0.value)".utf8) }) }])
      ])
    }

    @Test("RFC 9112 7.1: chunked content is understood wherever the stream is cut")
    func everySplit() throws {
      let vectors = [
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"), ("00000000000000A\r\n0123456789\r\n000\r\n\r\n", "0123456789"),
        ("1;a=b;c=\"d;e\";f\r\nx\r\n1;\t\u{E9}\r\ny\r\n0;last\r\n\r\n", "xy"),
        ("3\r\n\r\n0\r\n2\r\n\r\n\r\n0\r\nX-Sum: 1\r\nx-sum:2\r\n\r\n", "\r\n0\r\n|X-Sum: 1|x-sum: 2"), ("0\r\n\r\n", ""),
      ]
      let origin = try Self.origin()
      _ = try recording { proxy in
        let client = try proxy.connect()
        for (body, expected) in vectors {
          let head = "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nTransfer-Encoding: chunked\r\n\r\n"
          let bytes = [UInt8].latin1(body)
          for split in bytes.indices {
            try client.send(Array(head.utf8) + bytes[..<split])
            try client.send(Array(bytes[split...]))
            #expect(try client.receiveResponse(to: "POST").bodyText == expected, "\(body.debugDescription) cut at \(split)")
          }
          try client.send(Array(head.utf8) + bytes, inPiecesOf: 1)
          #expect(try client.receiveResponse(to: "POST").bodyText == expected, "\(body.debugDescription) byte by byte")
        }
      }
    }

    @Test("RFC 9112 7.1: a chunk that is malformed is refused, and no last chunk goes out")
    func malformedChunks() throws {
      let origin = try Self.origin()
      let requests = try WireVectors.read("request-framing").refusals("chunks", origin: origin.authority)
      let recording = try recording { proxy in
        for request in requests { try proxy.expectRefused(request) }
      }
      #expect(recording.entries.map { $0.error?["kind"]?.string } == requests.map(\.kind))
      origin.stop()
      #expect(origin.requests.isEmpty, "no complete request went upstream")
      #expect(!origin.connections.contains { $0.receivedText.contains("\r\n0\r\n") })
    }

    @Test("RFC 9112 7.1.1: extensions and the client's chunk borders are not passed on")
    func extensionsAreNotPassedOn() throws {
      let origin = try ScriptedOrigin.echo()
      _ = try recording { proxy in
        let arrived = try proxy.forwarded(
          "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
            + "0005;a=\"b\"\r\nhello\r\n0;c\r\nX-Sum: 1\r\n\r\n", method: "POST")
        #expect(
          arrived
            == .latin1(
              "POST / HTTP/1.1\r\nHost: \(origin.authority)\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                + "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"))
      }
    }
  }
}
