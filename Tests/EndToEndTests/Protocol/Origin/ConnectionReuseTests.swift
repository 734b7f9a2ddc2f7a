import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct ConnectionReuse {
    private static func get(_ origin: ScriptedOrigin, _ path: String) -> String {
      "GET \(origin.url(path)) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
    }

    @Test func aReusedConnectionHasNoDNSAndNoConnect() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      let recording = try recording { proxy in
        let client = try proxy.connect()
        for path in ["/1", "/2", "/3"] {
          try client.send(Self.get(origin, path))
          #expect(try client.receiveResponse().bodyText == "x")
        }
      }
      #expect(origin.connections.count == 1)
      let entries = recording.entries
      #expect(entries.count == 3)
      #expect(entries.map { $0.phase("connect") >= 0 } == [true, false, false])
      #expect(entries.dropFirst().allSatisfy { $0.phase("dns") == -1 && $0.phase("connect") == -1 && $0.phase("ssl") == -1 })
      #expect(Set(entries.map(\.connectionID)).count == 1)
    }

    @Test func answersPipelinedRequestsInOrder() throws {
      let paths = (0..<30).map { "/\($0)" }
      let origin = try ScriptedOrigin([.forever([.answer { .response(body: Array($0.startLine.utf8)) }])])
      let recording = try recording { proxy in
        let client = try proxy.request(paths.map { Self.get(origin, $0) }.joined())
        for path in paths {
          #expect(try client.receiveResponse().bodyText == "GET \(path) HTTP/1.1")
        }
      }
      #expect(recording.entries.map(\.url) == paths.map(origin.url(_:)))
    }

    @Test func pipelinedBodiesDoNotRunTogether() throws {
      let origin = try ScriptedOrigin([.forever([.answer { .response(body: $0.body) }])])
      _ = try recording { proxy in
        let head = "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n"
        let client = try proxy.request(
          "\(head)Content-Length: 3\r\n\r\nabc" + "\(head)Transfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
            + "\(head)Content-Length: 0\r\n\r\n" + "\(head)Content-Length: 3\r\n\r\nghi")
        for body in ["abc", "def", "", "ghi"] {
          #expect(try client.receiveResponse(to: "POST").bodyText == body)
        }
      }
    }

    @Test func retriesOnceWhenAReusedConnectionWasDead() throws {
      // The first connection answers once and closes as soon as it is asked again; the second one serves.
      let origin = try ScriptedOrigin { number in
        number == 0
          ? [.expectRequest, .respond(body: "first"), .expectHead, .close]
          : [.expectRequest, .respond(body: "second"), .expectEnd]
      }
      let recording = try recording { proxy in
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

    @Test func doesNotRetryWhatIsNotIdempotent() throws {
      let origin = try ScriptedOrigin { number in
        number == 0
          ? [.expectRequest, .respond(body: "first"), .expectRequest, .close] : [.expectRequest, .respond(body: "again")]
      }
      _ = try recording { proxy in
        let client = try proxy.request(Self.get(origin, "/1"))
        #expect(try client.receiveResponse().status == 200)
        try client.send("POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 1\r\n\r\nx")
        #expect(try client.receiveResponse(to: "POST").status == 502)
      }
      #expect(origin.requests.filter { $0.startLine.hasPrefix("POST") }.count == 1)
    }

    @Test func octetsThatNobodyAskedForEndAConnection() throws {
      let origin = try ScriptedOrigin { number in
        number == 0
          ? [
            .expectRequest,
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .expectEnd,
          ]
          : [.forever([.expectRequest, .respond(body: "good")])]
      }
      _ = try recording { proxy in
        let client = try proxy.request(Self.get(origin, "/1"))
        #expect(try client.receiveResponse().bodyText == "ok")
        try client.send(Self.get(origin, "/2"))
        #expect(try client.receiveResponse().bodyText == "good")
      }
    }

    @Test func closesWhenTheClientAsksForIt() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: close\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.value(of: "Connection")?.lowercased() == "close")
        #expect(try client.receiveToEnd().octets == [])
      }
      #expect(origin.requests.first?.value(of: "Connection") == nil, "the client's wish is for its own connection")
    }
  }
}
