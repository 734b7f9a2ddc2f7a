import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What of a response's fields ends at the proxy, and what is added.
  @Suite struct ResponseFields {
    @Test("RFC 9110 6.6.1: A response without Date gets one")
    func dateAdded() throws {
      let exchange = try relaying([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .expectEnd])
      let lines = exchange.text.split(separator: "\r\n").map(String.init)
      try #require(lines.count == 4)
      #expect(lines[0...1] == ["HTTP/1.1 200 OK", "Content-Length: 0"])
      // IMF-fixdate (RFC 9110 5.6.7).
      let date = /Date: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT/
      #expect(try date.wholeMatch(in: lines[2]) != nil, "\(lines[2])")
      #expect(lines[3...] == ["Connection: close"])
      #expect(exchange.entry.responseValues(of: "Date") == [], "the entry has what the origin sent")
    }

    @Test("RFC 9110 6.6.1: A Date that came is never changed, right or wrong, once or twice")
    func dateKept() throws {
      try expectRelayed(vectors: "response-heads", "Date")
    }

    @Test(
      "RFC 9110 7.6.3: with --via, Via says in which version the response came, on a line of its own behind those that came; without, nothing is added"
    )
    func via() throws {
      let script: [OriginStep] = [
        .expectRequest, .send("HTTP/1.0 200 OK\r\nDate: now\r\nVia: 1.1 first, 1.1 second\r\nContent-Length: 0\r\n\r\n"),
        .expectEnd,
      ]
      let head = "HTTP/1.1 200 OK\r\nDate: now\r\nVia: 1.1 first, 1.1 second\r\nContent-Length: 0\r\nConnection: close\r\n"
      #expect(try relaying(script).text == head + "\r\n")
      let told = try relaying(script, options: ["--via"]).text
      #expect(told.hasPrefix(head + "Via: 1.0 tapeline-"))
      #expect(told.split(separator: "\r\n").count == 6)
    }

    @Test("RFC 9110 7.6.1: What a response's Connection names ends here, on every line and in any case; framing and Date do not")
    func connectionOptions() throws {
      try expectRelayed(vectors: "response-heads", "Connection")
    }

    @Test(
      "RFC 9112 9.3: An origin's wish to close is for its connection and the client's, unless that one is shared or leads elsewhere"
    )
    func closeIsForOneHop() throws {
      let closing = "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\nContent-Length: 2\r\n\r\n"
      let kept = "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\n\r\n"
      let origin = try ScriptedOrigin([.expectRequest, .send(closing + "ok"), .expectEnd])
      _ = try recording { proxy in
        let client = try proxy.request(origin.absoluteRequest("/"))
        #expect(try client.receiveResponse().text == closing)
        #expect(try client.receiveToEnd().bytes == [])

        let other = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
        let several = try proxy.request(other.absoluteRequest("/"))
        #expect(try several.receiveResponse().bodyText == "x")
        for next in [origin, other] {
          try several.send(next.absoluteRequest("/"))
          let response = try several.receiveResponse()
          if next === origin { #expect(response.text == kept) }
        }
        #expect(other.connections.count == 1)
      }
      _ = try recording(["--share-connections"]) { proxy in
        let client = try proxy.connect()
        for _ in 0..<2 {
          try client.send(origin.absoluteRequest("/"))
          #expect(try client.receiveResponse().text == kept)
        }
      }
      #expect(origin.connections.count == 4)
    }
  }
}
