import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Where a request ends is said once, or the request goes nowhere: the ways of request smuggling. `Tests/Fixtures/wire` has the
  /// requests.
  @Suite struct RequestFraming {
    @Test("RFC 9112 6.3: Transfer-Encoding with Content-Length is refused")
    func bothFramings() throws {
      try expectRefused(vectors: "request-framing", "both framings")
    }

    @Test("RFC 9112 6.3: a second Content-Length is refused, unless it is equal digit by digit")
    func severalLengths() throws {
      try expectRefused(vectors: "request-framing", "several lengths")
      let origin = try ScriptedOrigin([.expectHead, .expect(bytes: 5), .respond(body: "ok")])
      let lines = "Content-Length: 5\r\nA: 1\r\ncontent-LENGTH:  5 \r\n\r\nhello"
      let recording = try recording { proxy in
        let client = try proxy.request("POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(lines)")
        #expect(try client.receiveResponse(to: "POST").bodyText == "ok")
      }
      #expect(origin.connections.first?.receivedText == "POST / HTTP/1.1\r\nHost: \(origin.authority)\r\n\(lines)")
      #expect(recording.entries.first?.tree["_anomalies"]?.elements.count == 1)
    }

    @Test("RFC 9110 8.6: Content-Length is digits within 63 bits and nothing else")
    func lengths() throws {
      try expectRefused(vectors: "request-framing", "lengths")
    }

    @Test("RFC 9112 6.3: a Transfer-Encoding that does not end in chunked, once, is refused")
    func unchunked() throws {
      try expectRefused(vectors: "request-framing", "codings")
    }

    @Test("RFC 9112 6.1: a coding under chunked that we do not know is 501")
    func unknownCodings() throws {
      try expectRefused(vectors: "request-framing", "unknown codings")
    }

    @Test("RFC 9112 6.1: Transfer-Encoding in HTTP/1.0 is refused")
    func transferEncodingInHTTP10() throws {
      try expectRefused(vectors: "request-framing", "codings in HTTP/1.0")
    }

    @Test("RFC 9110 9.3.6: content in CONNECT is refused")
    func contentInCONNECT() throws {
      try expectRefused(vectors: "request-framing", "content in CONNECT")
    }

    @Test("RFC 9110 9.3.2: a HEAD that is refused has an answer without content")
    func refusedHEAD() throws {
      try expectRefused(vectors: "request-framing", "HEAD")
    }

    @Test("RFC 9112 6: one framing goes out, ours, where the client's stood")
    func oneFramingGoesOut() throws {
      // One loop: the first exchange teaches it that the origin knows chunks.
      try expectForwarded(vectors: "request-framing", "framings", ["--threads", "1"])
    }

    @Test("RFC 9112 6.3: what follows a request is the next one, and nothing else of it")
    func whatFollowsIsTheNextRequest() throws {
      let origin = try ScriptedOrigin.echo()
      _ = try recording { proxy in
        let smuggled = "GET \(origin.url("/smuggled")) HTTP/1.1\r\nHost: x\r\n\r\n"
        // Within a body it is content; behind one it is a request of this client's own, answered in its turn.
        let head = "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n"
        let client = try proxy.request(
          "\(head)Content-Length: \(smuggled.utf8.count)\r\n\r\n\(smuggled)GET \(origin.url("/next")) HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        #expect(try client.receiveResponse(to: "POST").bodyText.hasSuffix("\r\n\r\n\(smuggled)"))
        #expect(try client.receiveResponse().bodyText.hasPrefix("GET /next HTTP/1.1\r\n"))
        // Behind what was refused, or behind the last request, it is nothing.
        let refused = try proxy.request("\(head)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(smuggled)")
        #expect(try refused.receiveResponse(to: "POST").status == 400)
        #expect(try refused.receiveToEnd().bytes == [])
        let last = try proxy.request("\(head)Connection: close\r\nContent-Length: 2\r\n\r\nok\(smuggled)")
        #expect(try last.receiveResponse(to: "POST").value(of: "Connection") == "close")
        #expect(try last.receiveToEnd().bytes == [])
      }
      #expect(origin.requests.map(\.startLine) == ["POST / HTTP/1.1", "GET /next HTTP/1.1", "POST / HTTP/1.1"])
    }
  }
}
