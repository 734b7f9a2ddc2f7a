import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Responses without content whatever their fields say, and content that breaks off.
  @Suite struct ResponseContent {
    /// The first connection has said more than its response holds; another one serves what is asked next.
    private static func expectNotTakenForTheNext(_ group: String) throws {
      let responses = try WireVectors.read("response-framing").passed(group)
      let recording = try recording { proxy in
        for (number, response) in responses.enumerated() {
          let origin = try ScriptedOrigin { connection in
            connection == 0
              ? [.expectRequest, .send(.latin1(response.text)), .expectEnd]
              : [.forever([.expectRequest, .respond(body: "next")])]
          }
          let client = try proxy.request(origin.absoluteRequest("/\(number)", method: response.method))
          let (bytes, _) = try client.receiveToEnd()
          let seen = String(decoding: bytes, as: UTF8.self)
          #expect(seen.replacing("Connection: close\r\n", with: "") == response.becomes, "and the client's connection ends")
          #expect(try proxy.request(origin.absoluteRequest("/next")).receiveResponse().bodyText == "next")
          #expect(origin.connections.map(\.requests.count) == [1, 1])
        }
      }
      for number in responses.indices { #expect(try recording.entry("/\(number)").contentSize == 0) }
    }

    @Test("RFC 9110 9.3.2: A response to HEAD has no content, and its length is passed on")
    func head() throws {
      try Self.expectNotTakenForTheNext("answers to HEAD")
    }

    @Test("RFC 9110 15.3.5: A 204 has no content and no framing fields")
    func noContent() throws {
      try Self.expectNotTakenForTheNext("204")
    }

    @Test("RFC 9110 15.4.5: A 304 has no content, and its length is passed on")
    func notModified() throws {
      try Self.expectNotTakenForTheNext("304")
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
      // A reset may overtake what was sent before it, unless that has been read.
      let exchanges = try expectRelayed(
        vectors: "response-framing", "content that breaks off", then: [.delay(milliseconds: 20), ending])
      for exchange in exchanges {
        #expect(exchange.entry.error?["origin"]?.string == "upstream")
        #expect(exchange.entry.error?["phase"]?.string == "receive")
        #expect(exchange.entry.status == 200)
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
