import TapelineTestSupport
import Testing

extension EndToEnd {
  /// When a request is sent a second time: on another connection, if the reused one was closed before a word of the answer, and
  /// is shared with other clients. Where it stands for the client's own, the client decides (`StaleConnections`).
  @Suite struct Retries {
    private static let shared = ["--share-connections", "--threads", "1"]

    private static func get(_ origin: ScriptedOrigin, _ path: String) -> String {
      origin.absoluteRequest(path)
    }

    @Test("RFC 9112 9.3.1: A request on a reused connection that was dead is sent once more")
    func retriesOnceWhenAReusedConnectionWasDead() throws {
      // The first connection answers once and closes as soon as it is asked again; the second one serves.
      let origin = try ScriptedOrigin { number in
        number == 0
          ? [.expectRequest, .respond(body: "first"), .expectHead, .close]
          : [.expectRequest, .respond(body: "second"), .expectEnd]
      }
      let recording = try recording(Self.shared) { proxy in
        let client = try proxy.request(Self.get(origin, "/1"))
        #expect(try client.receiveResponse().bodyText == "first")
        try client.send(Self.get(origin, "/2"))
        #expect(try client.receiveResponse().bodyText == "second")
      }
      #expect(origin.connections.count == 2)
      let retried = try recording.entry("/2")
      #expect(retried.status == 200)
      #expect(retried.tree["_attempts"]?.integer == 2)
      #expect(retried.phase("connect") >= 0, "the phases are those of the attempt that succeeded")
    }

    @Test("RFC 9110 9.2.2: What is not idempotent is not sent again")
    func doesNotRetryWhatIsNotIdempotent() throws {
      let origin = try ScriptedOrigin { number in
        number == 0
          ? [.expectRequest, .respond(body: "first"), .expectRequest, .close] : [.expectRequest, .respond(body: "again")]
      }
      _ = try recording(Self.shared) { proxy in
        let client = try proxy.request(Self.get(origin, "/1"))
        #expect(try client.receiveResponse().status == 200)
        try client.send("POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 1\r\n\r\nx")
        #expect(try client.receiveResponse(to: "POST").status == 502)
      }
      #expect(origin.requests.filter { $0.startLine.hasPrefix("POST") }.count == 1)
    }

    /// A request on a connection that has answered one before, and what the origin does when it has its head.
    private struct SecondRequest {
      var method = "GET"
      var lines: [String] = []
      var body = ""
      var ending: [OriginStep] = [.close]
    }

    /// The first connection plays the request's ending; the others serve.
    private static func answers(
      to requests: [SecondRequest]
    ) throws -> [(response: RawMessage, origin: ScriptedOrigin, entry: RecordedEntry)] {
      var answers: [(RawMessage, ScriptedOrigin)] = []
      let recording = try recording(Self.shared) { proxy in
        for (number, request) in requests.enumerated() {
          let origin = try ScriptedOrigin { connection in
            connection == 0
              ? [.expectRequest, .respond(body: "first"), .expectHead] + request.ending
              : [.forever([.expectRequest, .respond(body: "again")])]
          }
          let client = try proxy.request(origin.absoluteRequest("/first"))
          #expect(try client.receiveResponse().bodyText == "first")
          try client.send(origin.absoluteRequest("/\(number)", method: request.method, lines: request.lines) + request.body)
          var response = try client.receiveResponse(to: request.method)
          // A client that left now would end the exchange itself.
          while response.status < 200 { response = try client.receiveResponse(to: request.method) }
          answers.append((response, origin))
        }
      }
      return try answers.enumerated().map { ($1.0, $1.1, try recording.entry("/\($0)")) }
    }

    @Test("RFC 9110 9.2.2: Idempotent requests without content are sent once more")
    func idempotent() throws {
      let methods = ["GET", "HEAD", "OPTIONS", "DELETE", "PUT", "TRACE"]
      let requests =
        methods.map { SecondRequest(method: $0) } + [
          SecondRequest(method: "DELETE", lines: ["Content-Length: 0"]),
          // A handshake of WebSocket, say: nothing was switched where nothing was said.
          SecondRequest(lines: ["Connection: Upgrade", "Upgrade: echo"]),
        ]
      for (response, origin, entry) in try Self.answers(to: requests) {
        #expect(response.status == 200, "\(entry.method)")
        #expect(origin.connections.count == 2, "\(entry.method)")
        #expect(origin.connections.last?.requests.count == 1, "\(entry.method)")
        #expect(entry.tree["_attempts"]?.integer == 2, "\(entry.method)")
        #expect(entry.error == nil, "\(entry.method)")
      }
    }

    @Test("RFC 9110 9.2.2: Other methods, and content that is gone, are not sent again")
    func notAgain() throws {
      let requests = [
        SecondRequest(method: "POST"), SecondRequest(method: "POST", lines: ["Content-Length: 0"]),
        SecondRequest(method: "PATCH", lines: ["Content-Length: 2"], body: "hi"), SecondRequest(method: "get"),
        SecondRequest(method: "BREW"), SecondRequest(method: "PUT", lines: ["Content-Length: 2"], body: "hi"),
        SecondRequest(method: "PUT", lines: ["Transfer-Encoding: chunked"], body: "2\r\nhi\r\n0\r\n\r\n"),
        SecondRequest(method: "DELETE", lines: ["Content-Length: 2"], body: "hi"),
      ]
      for (response, origin, entry) in try Self.answers(to: requests) {
        #expect(response.status == 502, "\(entry.method)")
        #expect(origin.connections.count == 1, "\(entry.method)")
        #expect(entry.tree["_attempts"] == nil, "\(entry.method)")
        #expect(entry.error?["origin"]?.string == "upstream", "\(entry.method)")
      }
    }

    @Test("RFC 9112 9.3.1: One byte of a response, a 1xx too, and the request is not sent again")
    func notAfterAByte() throws {
      let requests = ["H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"].map {
        SecondRequest(ending: [.send($0), .close])
      }
      for (response, origin, entry) in try Self.answers(to: requests) {
        #expect(response.status == 502)
        #expect(origin.connections.count == 1)
        #expect(entry.error?["kind"]?.string == "closed")
      }
    }

    @Test("RFC 9112 9.3.1: A request on a connection of its own is not sent again")
    func notOnAFreshConnection() throws {
      for ending in [OriginStep.close, .reset] {
        let exchange = try relaying([.expectHead, ending])
        #expect(exchange.text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(exchange.origin.connections.count == 1)
      }
    }

    @Test("RFC 9112 9.3.1: A request is sent again once, on a new connection, and not a third time")
    func onlyOnce() throws {
      let origin = try ScriptedOrigin { number in
        number == 0 ? [.expectRequest, .respond(body: "first"), .expectHead, .close] : [.expectHead, .close]
      }
      let recording = try recording(Self.shared) { proxy in
        let client = try proxy.request(origin.absoluteRequest("/1"))
        #expect(try client.receiveResponse().bodyText == "first")
        try client.send(origin.absoluteRequest("/2"))
        #expect(try client.receiveResponse().status == 502)
      }
      #expect(try recording.entry("/2").tree["_attempts"]?.integer == 2)
      #expect(origin.connections.filter { $0.receivedText.contains("GET /2 ") }.count == 2)
    }

    @Test("RFC 9112 9.3.1: A reset counts as the close does")
    func afterAReset() throws {
      let (response, origin, entry) = try #require(try Self.answers(to: [SecondRequest(ending: [.reset])]).first)
      #expect(response.bodyText == "again")
      #expect(origin.connections.count == 2)
      #expect(entry.tree["_attempts"]?.integer == 2)
    }
  }
}
