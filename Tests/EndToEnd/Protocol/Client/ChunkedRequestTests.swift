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
      let origin = try Self.origin()
      _ = try recording { proxy in
        let client = try proxy.connect()
        for message in try WireVectors.read("request-framing").passed("chunks", origin: origin.authority) {
          let expected = try #require(message.content)
          let bytes = [UInt8].latin1(message.text)
          let body = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
          let what = String(decoding: bytes[body...], as: UTF8.self).debugDescription
          for split in body..<bytes.count {
            try client.send(Array(bytes[..<split]))
            try client.send(Array(bytes[split...]))
            #expect(try client.receiveResponse(to: "POST").bodyText == expected, "\(what) cut at \(split)")
          }
          try client.send(bytes, inPiecesOf: 1)
          #expect(try client.receiveResponse(to: "POST").bodyText == expected, "\(what) byte by byte")
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
      #expect(recording.entriesAsTheyCame.map { $0.error?["kind"]?.string } == requests.map(\.kind))
      origin.stop()
      #expect(origin.requests.isEmpty, "no complete request went upstream")
      #expect(!origin.connections.contains { $0.receivedText.contains("\r\n0\r\n") })
    }

    @Test("RFC 9112 7.1.1: extensions and the client's chunk borders are not passed on")
    func extensionsAreNotPassedOn() throws {
      try expectForwarded(vectors: "request-framing", "chunk extensions")
    }
  }
}
