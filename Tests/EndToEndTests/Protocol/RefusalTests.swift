import TapelineTestSupport
import Testing

extension EndToEnd {
  /// One message, one meaning: what two readers could read differently never reaches an origin.
  @Suite struct Refusals {
    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
      "nonsense\r\n\r\n",
    ])
    func ambiguousResponses(_ text: String) throws {
      let origin = try ScriptedOrigin([.expectRequest, .send(text), .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/bad")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse().status == 502)
      }
      let entry = try recording.entry("/bad")
      #expect(entry.error?["origin"]?.string == "upstream")
    }
  }
}
