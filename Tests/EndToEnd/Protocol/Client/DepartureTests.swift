import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A client that wants its answer keeps its side of the connection open: who ends it has left.
  @Suite struct Departures {
    @Test("RFC 9112 9.6: a client that ends its side has left: upstream work is cancelled, and recorded")
    func whileItWaits() throws {
      let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
      let recording = try recording { proxy in
        for (number, request) in ["GET", "POST"].enumerated() {
          let client = try proxy.request(
            "\(request) \(origin.url("/\(request)")) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
          _ = try origin.waitForRequests(number + 1)
          try client.halfClose()
          #expect(try client.receiveToEnd().bytes == [])
          _ = try origin.waitForFinished(number + 1)
        }
      }
      #expect(recording.entries.allSatisfy { $0.error == nil }, "nothing was promised")
      #expect(recording.entries.map { $0.tree["_ended"]?["by"]?.string } == ["client", "client"])
      #expect(recording.entries.map { $0.tree["_ended"]?["phase"]?.string } == ["wait", "wait"])
    }

    @Test("RFC 9112 8: a request that ends inside its head is recorded and reaches nobody; between requests nothing is recorded")
    func insideAHead() throws {
      let origin = try ScriptedOrigin.echo()
      let whole = "GET \(origin.url("/whole")) HTTP/1.1\r\nHost: x\r\n\r\n"
      let recording = try recording { proxy in
        for text in [
          "G", "GET \(origin.url("/cut")) HTTP/1.1\r\nHost: x\r\n", "GET \(origin.url("/cut")) HTTP/1.1\r\nHost: x\r\n\r",
        ] {
          let client = try proxy.request(text)
          try client.halfClose()
          #expect(try client.receiveToEnd().bytes == [], "\(text.debugDescription)")
        }
        for (before, after) in [("", ""), ("\r\n", ""), (whole, ""), (whole, "\r\n")] {
          let client = try proxy.request(before + after)
          if before == whole { #expect(try client.receiveResponse().status == 200) }
          try client.halfClose()
          #expect(try client.receiveToEnd().bytes == [])
        }
      }
      #expect(origin.requests.map(\.startLine) == ["GET /whole HTTP/1.1", "GET /whole HTTP/1.1"])
      #expect(recording.entriesAsTheyCame.map { $0.error?["kind"]?.string } == ["closed", "closed", "closed", nil, nil])
    }
  }
}
