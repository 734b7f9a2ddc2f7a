import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Trailers {
    @Test("RFC 9112 7.1.2: Trailers go through in both directions, and are never merged into the header")
    func goThroughInBothDirections() throws {
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n4\r\ndata\r\n0\r\nX-Sum: 42\r\nX-Sum: 43\r\n\r\n"
        ),
      ])
      let recording = try recording { proxy in
        let client = try proxy.request(
          "POST \(origin.url("/t")) HTTP/1.1\r\nHost: \(origin.authority)\r\nTransfer-Encoding: chunked\r\nTrailer: X-Up\r\nTE: trailers\r\n"
            + "Connection: TE\r\n\r\n2\r\nup\r\n0\r\nX-Up: 1\r\n\r\n")
        let response = try client.receiveResponse(to: "POST")
        #expect(response.bodyText == "data")
        #expect(response.trailers.map(\.value) == ["42", "43"], "never merged")
        #expect(!response.fields.contains { $0.name == "X-Sum" })
      }
      let request = try #require(origin.requests.first)
      #expect(request.body == Array("up".utf8))
      #expect(request.trailers.map(\.name) == ["X-Up"])
      #expect(request.value(of: "TE") == "trailers")
      #expect(request.value(of: "Connection") == "TE")
      let entry = try recording.entry("/t")
      #expect(entry.contentText == "data")
      #expect(entry.response?["_trailers"]?.elements.compactMap { $0["value"]?.string } == ["42", "43"])
    }

    @Test("RFC 9110 6.5.1: Trailers that frame, route or were named by Connection end here, in responses and requests")
    func forbiddenTrailers() throws {
      let trailers =
        "Content-Length: 9\r\nTransfer-Encoding: chunked\r\nHost: evil\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nConnection: X-Late\r\nX-Late: 1\r\n"
        + "x-ok:  two \r\n"
      let kept = "x-ok: two\r\n"
      let exchange = try relaying(
        [
          .expectRequest,
          .send(
            "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: X-Hop\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(trailers)\r\n"
          ),
          .expectEnd,
        ], request: ["Connection: x-hop", "Transfer-Encoding: chunked"], method: "POST", body: "2\r\nup\r\n0\r\n\(trailers)\r\n")
      #expect(
        exchange.text
          == "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\nok\r\n0\r\n\(kept)\r\n")
      #expect(exchange.receivedText.hasSuffix("\r\n\r\n2\r\nup\r\n0\r\n\(kept)\r\n"))
    }

    @Test("RFC 9112 7.1.2: An HTTP/1.0 client gets no trailers, and the entry has them")
    func notToOldClients() throws {
      for exchange in try expectRelayed(vectors: "response-framing", "trailers to an HTTP/1.0 client") {
        #expect(exchange.entry.response?["_trailers"]?.elements.count == 1)
      }
    }
  }
}
