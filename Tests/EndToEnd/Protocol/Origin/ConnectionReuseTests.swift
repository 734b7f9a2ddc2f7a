import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct ConnectionReuse {
    private static func get(_ origin: ScriptedOrigin, _ path: String) -> String {
      "GET \(origin.url(path)) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
    }

    @Test("RFC 9112 9.3: A reused connection has no lookup and no connecting")
    func aReusedConnectionHasNoDNSAndNoConnect() throws {
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

    @Test("RFC 9112 9.3.2: Pipelined requests are answered in order")
    func answersPipelinedRequestsInOrder() throws {
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

    @Test("RFC 9112 9.3.2: The content of pipelined requests does not run together")
    func pipelinedBodiesDoNotRunTogether() throws {
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

    @Test("RFC 9112 9.2: Bytes behind a response are nobody's answer, and end its connection")
    func bytesThatNobodyAskedForEndAConnection() throws {
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
        #expect(try client.receiveToEnd().bytes == [], "the client's connection ends with the origin's")
        #expect(try proxy.request(Self.get(origin, "/2")).receiveResponse().bodyText == "good")
      }
    }

    @Test(
      "RFC 9112 9.6: A client that asks for the close gets it, and so does the origin; where connections are shared it is not told"
    )
    func closesWhenTheClientAsksForIt() throws {
      for (options, told) in [([], "close"), (["--share-connections"], nil)] as [([String], String?)] {
        let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
        _ = try recording(options) { proxy in
          let client = try proxy.request(
            "GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: close\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.value(of: "Connection")?.lowercased() == "close")
          #expect(try client.receiveToEnd().bytes == [])
        }
        #expect(origin.requests.first?.value(of: "Connection") == told)
      }
    }

    @Test("RFC 9112 9.2: Bytes on an idle connection close it")
    func bytesOnAnIdleConnection() throws {
      let origin = try ScriptedOrigin { number in
        number == 0
          ? [
            .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .delay(milliseconds: 30),
            .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .expectEnd,
          ] : [.forever([.expectRequest, .respond(body: "good")])]
      }
      let recording = try recording { proxy in
        let client = try proxy.request(Self.get(origin, "/1"))
        #expect(try client.receiveResponse().bodyText == "ok")
        // The script goes on when the connection has been closed by us.
        _ = try origin.waitForFinished(1)
        #expect(try client.receiveToEnd().bytes == [])
        #expect(try proxy.request(Self.get(origin, "/2")).receiveResponse().bodyText == "good")
      }
      #expect(origin.connections.map(\.requests.count) == [1, 1])
      #expect(recording.entries.allSatisfy { $0.error == nil })
    }

    @Test("RFC 9112 9.3: A connection is used again only when its response ended at its framing and lets it")
    func whatEndsAConnection() throws {
      let responses = [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nConnection: x, CLOSE\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok!",
      ]
      _ = try recording { proxy in
        for response in responses {
          let origin = try ScriptedOrigin([.expectRequest, .send(response), .expectEnd])
          for _ in 0..<2 {
            let client = try proxy.request(Self.get(origin, "/"))
            #expect(try client.receiveResponse().bodyText == "ok", "\(response.debugDescription)")
            #expect(try client.receiveToEnd().bytes == [], "the client's ends as well: \(response.debugDescription)")
          }
          #expect(origin.connections.map(\.requests.count) == [1, 1], "\(response.debugDescription)")
        }
        for keeping in [
          "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nKeep-Alive: max=1\r\n",
        ] {
          let client = try proxy.connect()
          let origin = try ScriptedOrigin([.forever([.expectRequest, .send("\(keeping)Content-Length: 2\r\n\r\nok")])])
          for _ in 0..<2 {
            try client.send(Self.get(origin, "/"))
            #expect(try client.receiveResponse().bodyText == "ok", "\(keeping.debugDescription)")
          }
          #expect(origin.connections.count == 1, "\(keeping.debugDescription)")
        }
      }
    }

    @Test("RFC 9112 9.2: On a new connection a response that came before its request is the answer; another one is nobody's")
    func responseBeforeTheRequest() throws {
      let origin = try ScriptedOrigin { number in
        number == 0
          ? [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly"), .expectRequest, .delay(milliseconds: 30),
            .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate"), .expectEnd,
          ] : [.forever([.expectRequest, .respond(body: "good")])]
      }
      _ = try recording { proxy in
        let client = try proxy.request(Self.get(origin, "/1"))
        #expect(try client.receiveResponse().bodyText == "early")
        _ = try origin.waitForFinished(1)
        #expect(try client.receiveToEnd().bytes == [])
        #expect(try proxy.request(Self.get(origin, "/2")).receiveResponse().bodyText == "good")
      }
      #expect(origin.connections.map(\.requests.count) == [1, 1])
    }
  }
}
