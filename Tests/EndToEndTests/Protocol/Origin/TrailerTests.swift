import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Trailers {
    @Test func goThroughInBothDirections() throws {
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
      #expect(try recording.entry("/t").contentText == "data")
    }
  }
}
