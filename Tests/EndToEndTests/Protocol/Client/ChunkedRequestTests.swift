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
      let tooLong = String(repeating: "x", count: 1100)
      let vectors: [(body: String, kind: String)] = [
        ("0x5\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"), ("+5\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"),
        ("-5\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"), (" 5\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"),
        ("5 \r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"), ("5\t;a\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"),
        ("5_0\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"), ("g\r\n", "invalid-chunk-size"), ("\r\n", "invalid-chunk-size"),
        (";a\r\n", "invalid-chunk-size"), ("5\u{0}\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"),
        ("\u{B2}\r\n", "invalid-chunk-size"),
        ("5,5\r\nhello\r\n0\r\n\r\n", "invalid-chunk-size"), ("FFFFFFFFFFFFFFFF\r\n", "chunk-size-overflow"),
        ("10000000000000005\r\nhello\r\n0\r\n\r\n", "chunk-size-overflow"),
        ("0000000000000005\r\nhello\r\n0\r\n\r\n", "chunk-size-overflow"),
        ("5\nhello\r\n0\r\n\r\n", "bare-line-feed"), ("5\rhello\r\n0\r\n\r\n", "bare-carriage-return"),
        ("5\r\r\nhello\r\n", "bare-carriage-return"),
        ("5;a\nhello\r\n0\r\n\r\n", "bare-line-feed"), ("5;a\rb\r\nhello\r\n0\r\n\r\n", "bare-carriage-return"),
        ("5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n", "invalid-chunk-end"),
        ("5;a\u{0}b\r\nhello\r\n0\r\n\r\n", "invalid-chunk-extension"),
        ("5;a\u{7F}\r\nhello\r\n0\r\n\r\n", "invalid-chunk-extension"),
        ("5;\(tooLong)\r\nhello\r\n0\r\n\r\n", "chunk-extension-too-long"),
        ("5\r\nhelloX\r\n0\r\n\r\n", "invalid-chunk-end"), ("5\r\nhello\n0\r\n\r\n", "invalid-chunk-end"),
        ("5\r\nhello\r0\r\n\r\n", "invalid-chunk-end"), ("5\r\nhell\r\n0\r\n\r\n", "invalid-chunk-end"),
        ("0\r\nX : y\r\n\r\n", "blank-before-colon"), ("0\r\n X: y\r\n\r\n", "blank-before-first-field"),
        ("0\r\nX: y\r\n z\r\n\r\n", "line-folding"), ("0\r\nX: y\n\n", "bare-line-feed"),
        ("0\r\nX: a\u{0}\r\n\r\n", "invalid-field-value"),
        ("0\r\nGET / HTTP/1.1\r\n\r\n", "blank-before-colon"), ("0\r\n\rX: y\r\n\r\n", "bare-carriage-return"),
      ]
      let origin = try Self.origin()
      let recording = try recording { proxy in
        for (body, kind) in vectors {
          try proxy.expectRefused(
            RefusedRequest(
              "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nTransfer-Encoding: chunked\r\n\r\n\(body)", kind))
        }
      }
      #expect(recording.entries.map { $0.error?["kind"]?.string } == vectors.map(\.kind))
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
