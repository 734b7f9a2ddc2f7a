import TapelineTestSupport
import Testing

extension EndToEnd {
  /// An origin that is not there, or goes away: 502 with the error type of RFC 9209, or a response that is cut off; always an
  /// entry.
  @Suite struct OriginFailures {
    private static func expectFailures(
      _ endings: [[OriginStep]], phase: String, kind: String, proxyStatus: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let scripts = endings.map { [.expectRequest] + $0 }
      for exchange in try relayingEach(scripts, sourceLocation: sourceLocation) {
        #expect(exchange.text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"), sourceLocation: sourceLocation)
        #expect(exchange.text.contains("\r\nProxy-Status: tapeline; error=\(proxyStatus)\r\n"), sourceLocation: sourceLocation)
        #expect(exchange.text.contains("\r\n\r\ntapeline: "), "it says what failed", sourceLocation: sourceLocation)
        #expect(exchange.entry.status == 0, sourceLocation: sourceLocation)
        #expect(exchange.entry.error?["origin"]?.string == "upstream", sourceLocation: sourceLocation)
        #expect(exchange.entry.error?["phase"]?.string == phase, sourceLocation: sourceLocation)
        #expect(exchange.entry.error?["kind"]?.string == kind, sourceLocation: sourceLocation)
      }
    }

    @Test("RFC 9209 2.3.2: A name that does not resolve is 502, dns_error")
    func unknownName() throws {
      let recording = try recording { proxy in
        let client = try proxy.request("GET http://nowhere.invalid/ HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.startLine == "HTTP/1.1 502 Bad Gateway")
        #expect(response.value(of: "Proxy-Status") == "tapeline; error=dns_error")
        #expect(response.bodyText.contains("nowhere.invalid"))
      }
      let entry = try recording.entry("/")
      #expect(entry.error?["phase"]?.string == "dns")
      #expect(entry.tree["_localStatus"]?.integer == 502)
    }

    @Test("RFC 9209 2.3.7: A connection that is refused is 502, connection_refused")
    func refused() throws {
      let recording = try recording { proxy in
        let client = try proxy.request("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.startLine == "HTTP/1.1 502 Bad Gateway")
        #expect(response.value(of: "Proxy-Status") == "tapeline; error=connection_refused")
        #expect(response.bodyText.contains("127.0.0.1:1"))
      }
      #expect(try recording.entry("/").error?["kind"]?.string == "refused")
    }

    @Test("RFC 9209 2.3.8: An origin that goes before the first byte of its response is 502, connection_terminated")
    func beforeTheHead() throws {
      try Self.expectFailures([[.close]], phase: "wait", kind: "closed", proxyStatus: "connection_terminated")
      try Self.expectFailures([[.reset]], phase: "wait", kind: "reset", proxyStatus: "connection_terminated")
    }

    @Test("RFC 9209 2.3.18: An origin that goes inside its response's head is 502, http_response_incomplete")
    func insideTheHead() throws {
      let heads = [
        "H", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r",
      ]
      try Self.expectFailures(
        heads.map { [.send($0), .close] }, phase: "receive", kind: "closed", proxyStatus: "http_response_incomplete")
      // The reset must not overtake the bytes.
      try Self.expectFailures(
        heads.map { [.send($0), .delay(milliseconds: 20), .reset] }, phase: "receive", kind: "reset",
        proxyStatus: "connection_terminated")
    }

    @Test("RFC 9209 2.3.18: An origin that closes after a 1xx is 502")
    func afterAnInterimResponse() throws {
      let exchange = try relaying([.expectRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .close])
      #expect(exchange.text.hasPrefix("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 502 Bad Gateway\r\n"))
      #expect(exchange.entry.error?["kind"]?.string == "closed")
    }

    @Test("RFC 9112 9.6: An origin that resets after its response's end has answered")
    func afterTheEnd() throws {
      for response in [
        "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      ] {
        let origin = try ScriptedOrigin([.expectRequest, .send(response), .delay(milliseconds: 20), .reset])
        let recording = try recording { proxy in
          for _ in 0..<2 {
            let client = try proxy.request(origin.absoluteRequest("/"))
            #expect(try client.receiveResponse().bodyText == "ok")
            _ = try origin.waitForFinished(1)
          }
        }
        #expect(recording.entries.allSatisfy { $0.status == 200 && $0.error == nil })
      }
    }

    @Test("RFC 9110 15.6.3: A failure keeps the client's connection where its framing is not lost, and says so where it is")
    func theClientsConnection() throws {
      let origin = try ScriptedOrigin([.expectHead, .close])
      _ = try recording { proxy in
        let client = try proxy.request(origin.absoluteRequest("/1"))
        let first = try client.receiveResponse()
        #expect(first.status == 502)
        #expect(first.value(of: "Connection") == nil)
        try client.send(origin.absoluteRequest("/2", method: "POST", lines: ["Content-Length: 100000"]) + "half")
        let second = try client.receiveResponse(to: "POST")
        #expect(second.status == 502)
        #expect(second.value(of: "Connection") == "close", "what is left of the content would be read as a request")
        #expect(try client.receiveToEnd().bytes == [])
      }
    }

    @Test("RFC 9110 9.3.2: A failure is told to HEAD without content")
    func toHead() throws {
      let exchange = try relaying([.expectHead, .close], method: "HEAD")
      #expect(exchange.text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
      #expect(exchange.text.hasSuffix("\r\n\r\n"))
      #expect(exchange.text.contains("\r\nContent-Length: "))
    }
  }
}
