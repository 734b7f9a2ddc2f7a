import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Responses without content whatever their fields say, and content that breaks off.
  @Suite struct ResponseContent {
    /// The first connection has said more than its response holds; another one serves what is asked next.
    private static func expectNotTakenForTheNext(_ cases: [(response: String, relayed: String)], to method: String = "GET") throws
    {
      let recording = try recording { proxy in
        for (number, (response, relayed)) in cases.enumerated() {
          let origin = try ScriptedOrigin { connection in
            connection == 0
              ? [.expectRequest, .send(response), .expectEnd] : [.forever([.expectRequest, .respond(body: "next")])]
          }
          let client = try proxy.request(origin.absoluteRequest("/\(number)", method: method))
          let (bytes, _) = try client.receiveToEnd()
          let seen = String(decoding: bytes, as: UTF8.self)
          #expect(seen.replacing("Connection: close\r\n", with: "") == relayed, "and the client's connection ends")
          #expect(try proxy.request(origin.absoluteRequest("/next")).receiveResponse().bodyText == "next")
          #expect(origin.connections.map(\.requests.count) == [1, 1])
        }
      }
      for number in cases.indices { #expect(try recording.entry("/\(number)").contentSize == 0) }
    }

    private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    @Test("RFC 9110 9.3.2: A response to HEAD has no content, and its length is passed on")
    func head() throws {
      try Self.expectNotTakenForTheNext(
        [
          (
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 42\r\n\r\n\(Self.evil)",
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 42\r\n\r\n"
          ),
          (
            "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n"
          ),
        ], to: "HEAD")
    }

    @Test("RFC 9110 15.3.5: A 204 has no content and no framing fields")
    func noContent() throws {
      try Self.expectNotTakenForTheNext(
        ["Content-Length: \(Self.evil.utf8.count)", "Transfer-Encoding: chunked", "Content-Length: 0", "X-None: 1"].map { line in
          let kept = line.hasPrefix("X") ? "\(line)\r\n" : ""
          return (
            "HTTP/1.1 204 No Content\r\nDate: now\r\n\(line)\r\n\r\n\(Self.evil)",
            "HTTP/1.1 204 No Content\r\nDate: now\r\n\(kept)\r\n"
          )
        })
    }

    @Test("RFC 9110 15.4.5: A 304 has no content, and its length is passed on")
    func notModified() throws {
      try Self.expectNotTakenForTheNext([
        (
          "HTTP/1.1 304 Not Modified\r\nDate: now\r\nETag: \"a\"\r\nContent-Length: 42\r\n\r\n\(Self.evil)",
          "HTTP/1.1 304 Not Modified\r\nDate: now\r\nETag: \"a\"\r\nContent-Length: 42\r\n\r\n"
        ),
        (
          "HTTP/1.1 304 Not Modified\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
          "HTTP/1.1 304 Not Modified\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
      ])
    }

    @Test(
      "RFC 9112 6.3: A connection on which a 204 announced content is not used again, so that the content cannot be an answer")
    func announcedContentOfNoContent() throws {
      // The content would come when the next request is under way already.
      let origin = try ScriptedOrigin { connection in
        connection == 0
          ? [.expectRequest, .send("HTTP/1.1 204 No Content\r\nContent-Length: 42\r\n\r\n"), .expectEnd]
          : [.expectRequest, .respond(body: "good"), .expectEnd]
      }
      _ = try recording { proxy in
        let client = try proxy.request(origin.absoluteRequest("/1"))
        #expect(try client.receiveResponse().status == 204)
        #expect(try client.receiveToEnd().bytes == [])
        #expect(try proxy.request(origin.absoluteRequest("/2")).receiveResponse().bodyText == "good")
      }
      #expect(origin.connections.map(\.requests.count) == [1, 1])
    }

    @Test("RFC 9110 8.6: A connection on which a 204 says Content-Length: 0 is used again")
    func lengthOfNoContent() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .send("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")])])
      _ = try recording { proxy in
        let client = try proxy.connect()
        for _ in 0..<2 {
          try client.send(origin.absoluteRequest("/"))
          #expect(try client.receiveResponse().status == 204)
        }
      }
      #expect(origin.connections.count == 1)
    }

    @Test("RFC 9112 8: Content that breaks off is never made to look complete", arguments: [OriginStep.close, .reset])
    func truncated(ending: OriginStep) throws {
      let cases = [
        ("Content-Length: 10\r\n\r\nhalf", "Content-Length: 10", "half"),
        ("Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "Transfer-Encoding: chunked", "4\r\nhalf\r\n"),
        ("Transfer-Encoding: chunked\r\n\r\nA\r\nhalf", "Transfer-Encoding: chunked", "4\r\nhalf\r\n"),
        ("Transfer-Encoding: chunked\r\n\r\n4\r\nhalf", "Transfer-Encoding: chunked", "4\r\nhalf\r\n"),
        ("Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n", "Transfer-Encoding: chunked", "4\r\nhalf\r\n"),
        ("Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nX: 1\r\n", "Transfer-Encoding: chunked", "4\r\nhalf\r\n"),
        ("Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n1", "Transfer-Encoding: chunked", "4\r\nhalf\r\n"),
      ]
      // A reset may overtake what was sent before it, unless that has been read.
      let exchanges = try relayingEach(
        cases.map { [.expectRequest, .send("HTTP/1.1 200 OK\r\nDate: now\r\n\($0.0)"), .delay(milliseconds: 20), ending] })
      for ((_, framing, content), exchange) in zip(cases, exchanges) {
        #expect(
          exchange.text
            == "HTTP/1.1 200 OK\r\nDate: now\r\n\(framing)\r\nConnection: close\r\n\r\n\(content)")
        #expect(exchange.entry.error?["origin"]?.string == "upstream")
        #expect(exchange.entry.error?["phase"]?.string == "receive")
        #expect(exchange.entry.status == 200)
        #expect(exchange.entry.contentText == "half")
      }
    }

    @Test("RFC 9112 8: An HTTP/1.0 client whose content breaks off is told so by a reset")
    func truncatedToOldClient() throws {
      let chunked = try relaying(
        [
          .expectRequest, .send("HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
          .delay(milliseconds: 30), .close,
        ],
        version: "1.0")
      #expect(chunked.end == .reset)
      #expect(chunked.entry.error?["kind"]?.string == "closed")
      let length = try relaying(
        [.expectRequest, .send("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 10\r\n\r\nhalf"), .close], version: "1.0")
      #expect(
        length.text == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhalf")
    }

    @Test("RFC 9112 8: Content that ends with a reset instead of the close is not complete")
    func resetInPlaceOfClose() throws {
      let exchange = try relaying([
        .expectRequest, .send("HTTP/1.1 200 OK\r\nDate: now\r\n\r\nhalf"), .delay(milliseconds: 30), .reset,
      ])
      #expect(exchange.end == .reset, "so does the client's")
      #expect(exchange.entry.error?["kind"]?.string == "reset")
    }
  }
}
