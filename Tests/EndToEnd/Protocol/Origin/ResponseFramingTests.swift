import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Where a response ends: what two readers could read differently is refused. `Tests/Fixtures/wire` has the responses.
  @Suite struct ResponseFraming {
    @Test("RFC 9112 6.3: A response with Transfer-Encoding and Content-Length is refused")
    func bothFramings() throws {
      try expectRefusals(vectors: "response-framing", "both framings")
    }

    @Test("RFC 9112 6.3: A response with several Content-Length is refused, unless they are equal digit by digit")
    func severalLengths() throws {
      try expectRefusals(vectors: "response-framing", "several lengths")
      try expectRelayed(vectors: "response-framing", "equal lengths")
    }

    @Test("RFC 9110 8.6: A response whose Content-Length is no plain decimal number within 63 bits is refused")
    func badNumbers() throws {
      try expectRefusals(vectors: "response-framing", "lengths")
    }

    @Test("RFC 9112 6.1: A response whose transfer coding is not chunked alone is refused")
    func otherCodings() throws {
      try expectRefusals(vectors: "response-framing", "codings")
    }

    @Test("RFC 9112 6.1: Transfer-Encoding in an HTTP/1.0 response is refused")
    func codingInOldVersion() throws {
      try expectRefusals(vectors: "response-framing", "codings in HTTP/1.0")
    }

    @Test("RFC 9112 7.1: Chunks are relayed by their content, whatever their sizes look like")
    func chunkSpellings() throws {
      for exchange in try expectRelayed(vectors: "response-framing", "chunks") { #expect(exchange.entry.error == nil) }
    }

    @Test("RFC 9112 7.1: Malformed chunks end the response without a last chunk")
    func malformedChunks() throws {
      let broken = try WireVectors.read("response-framing").refusedResponses("chunks")
      #expect(!broken.isEmpty)
      let recording = try recording { proxy in
        for (number, response) in broken.enumerated() {
          let origin = try ScriptedOrigin([.expectRequest, .send(response.bytes), .expectEnd])
          let client = try proxy.request(origin.absoluteRequest("/\(number)"))
          let (bytes, _) = try client.receiveToEnd()
          let text = String(decoding: bytes, as: UTF8.self)
          let comment = Comment(rawValue: String(decoding: response.bytes.prefix(110), as: UTF8.self).debugDescription)
          let head = "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n"
          // What came in one piece with the broken chunk may have been relayed before, or not at all; never an end.
          #expect(text.hasPrefix(head) || text.hasPrefix("HTTP/1.1 502 "), comment)
          #expect(!text.hasSuffix("0\r\n\r\n"), comment)
          #expect(try origin.waitForFinished(1).first?.end != nil, comment)
        }
      }
      for (number, response) in broken.enumerated() {
        #expect(try recording.entry("/\(number)").error?["kind"]?.string == response.kind, "\(number)")
      }
      #expect(recording.entries.count == broken.count)
    }

    @Test("RFC 9112 7.1.1: A chunk extension of 1 MiB is taken")
    func longestExtension() throws {
      for exchange in try expectRelayed(vectors: "response-limits", "chunk extension") {
        #expect(exchange.text.hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
        #expect(exchange.entry.error == nil)
      }
    }

    @Test(
      "RFC 9112 6.3: A response without framing ends with its connection, and the client's ends too, or has chunks if it leads elsewhere"
    )
    func untilClose() throws {
      let script: [OriginStep] = [.expectRequest, .send("HTTP/1.1 200 OK\r\nDate: now\r\n\r\nall of it"), .close]
      let exchange = try relaying(script)
      #expect(exchange.text == "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\n\r\nall of it")
      #expect(exchange.end == .closed)
      #expect(exchange.entry.responseBodySize == 9)
      #expect(exchange.entry.error == nil)

      let (origin, other) = (try ScriptedOrigin(script), try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])]))
      _ = try recording { proxy in
        let client = try proxy.connect()
        for _ in 0..<2 {
          try client.send(other.absoluteRequest("/kept"))
          #expect(try client.receiveResponse().bodyText == "x")
          try client.send(origin.absoluteRequest("/"))
          let response = try client.receiveResponse()
          #expect(response.values(of: "Transfer-Encoding") == ["chunked"])
          #expect(response.bodyText == "all of it")
        }
      }
      #expect(other.connections.count == 1)
    }

    @Test("RFC 9112 6.3: An HTTP/1.0 client gets a response without framing until the close")
    func untilCloseToOldClient() throws {
      for exchange in try expectRelayed(vectors: "response-framing", "HTTP/1.0 client", then: [.close]) {
        #expect(exchange.end == .closed)
      }
    }

    @Test("RFC 9110 8.6: The largest Content-Length is relayed as it came")
    func hugeLength() throws {
      for exchange in try expectRelayed(vectors: "response-framing", "largest length", then: [.close]) {
        #expect(exchange.entry.error?["kind"]?.string == "closed")
      }
    }

    @Test("RFC 9112 9.3: A response of length 0 leaves the connection for the next request")
    func emptyContent() throws {
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .send("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n")])
      ])
      _ = try recording { proxy in
        let client = try proxy.connect()
        for _ in 0..<2 {
          try client.send(origin.absoluteRequest("/"))
          #expect(
            try client.receiveResponse().text
              == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n")
        }
      }
      #expect(origin.connections.count == 1)
    }
  }
}
