import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rule 9, the table of `docs/errors.md`: an end that somebody wanted is no failure, and what is missing is one.
  @Suite struct Endings {
    private static let events =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ndata: a\n\r\n"
    private static let byClientInReceive = Ending.ended(by: "client", phase: "receive")

    private static func receiveEvent(_ client: RawClient) throws {
      _ = try client.receive(through: "data: a\n\r\n")
    }

    // MARK: Responses

    @Test("A whole response, and the client goes")
    func wholeResponse() throws {
      let ending = try Ending.of([.expectRequest, .respond(body: "hello"), .expectEnd]) { client, _ in
        let body = try client.receiveResponse().bodyText
        #expect(body == "hello")
        client.close()
      }
      #expect(ending == .whole)
    }

    @Test("EventSource.close(): a stream of events, and the client goes")
    func eventSource() throws {
      let ending = try Ending.of([.expectRequest, .send(Self.events), .expectEnd]) { client, _ in
        try Self.receiveEvent(client)
        client.close()
      }
      #expect(ending == Self.byClientInReceive)
    }

    @Test("A stream of events that the client leaves by reset")
    func eventSourceReset() throws {
      let ending = try Ending.of([.expectRequest, .send(Self.events), .expectEnd]) { client, _ in
        try Self.receiveEvent(client)
        client.reset()
      }
      #expect(ending == Self.byClientInReceive)
    }

    @Test("EventSource.close() over TLS that is opened")
    func eventSourceOverTLS() throws {
      let authority = try TestAuthority()
      let directory = try TemporaryDirectory()
      let origin = try ScriptedOrigin([.expectRequest, .send(Self.events), .expectEnd])
      let server = try Relay(.clear(port: origin.port), identity: authority.issue())
      let options = ["--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate]
      let recording = try recording(options) { proxy in
        let way = try Relay(.tunnel(port: server.port, authority: directory.path("ca.pem"), proxy: proxy.port))
        let client = try RawClient(port: way.port)
        try client.send("GET /x HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n")
        try Self.receiveEvent(client)
        client.close()
        _ = try origin.waitForFinished(1)
      }
      #expect(try Ending(recording.entry("/x")) == Self.byClientInReceive)
    }

    @Test("A response that only the close ends, and the client goes first")
    func responseToTheEnd() throws {
      let ending = try Ending.of([.expectRequest, .send("HTTP/1.1 200 OK\r\n\r\nso far"), .expectEnd]) { client, _ in
        _ = try client.receive(through: "so far")
        client.close()
      }
      #expect(ending == Self.byClientInReceive)
    }

    @Test("A response that only the close ends, and the server ends it")
    func responseToTheServersEnd() throws {
      let ending = try Ending.of([.expectRequest, .send("HTTP/1.1 200 OK\r\n\r\nall of it"), .close]) { client, _ in
        let body = try client.receiveResponse().bodyText
        #expect(body == "all of it")
      }
      #expect(ending == .whole)
    }

    @Test("An announced length that was not delivered, because the client went")
    func lengthThatTheClientCut() throws {
      let ending = try Ending.of([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far"), .expectEnd]) {
        client, _ in
        _ = try client.receive(through: "so far")
        client.close()
      }
      #expect(ending == .failed(origin: "client", kind: "closed", phase: "receive"))
    }

    @Test("An announced length that was not delivered, because the server went")
    func lengthThatTheServerCut() throws {
      let ending = try Ending.of([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far"), .close]) {
        client, _ in _ = try client.receiveToEnd()
      }
      #expect(ending == .failed(origin: "upstream", kind: "closed", phase: "receive"))
    }

    @Test("Chunks without the last one, because the server went")
    func chunksThatTheServerCut() throws {
      let ending = try Ending.of([.expectRequest, .send(Self.events), .close]) { client, _ in _ = try client.receiveToEnd() }
      #expect(ending == .failed(origin: "upstream", kind: "closed", phase: "receive"))
    }

    @Test("HEAD, whose announced length is nobody's to deliver, and the client goes")
    func head() throws {
      let ending = try Ending.of(
        [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"), .expectEnd], method: "HEAD"
      ) { client, _ in
        let status = try client.receiveResponse(to: "HEAD").status
        #expect(status == 200)
        client.close()
      }
      #expect(ending == .whole)
    }

    // MARK: Before the response

    @Test("An aborted prefetch: the client goes before the head")
    func prefetch() throws {
      let ending = try Ending.of([.expectRequest, .expectEnd]) { client, origin in
        _ = try origin.waitForRequests(1)
        client.close()
      }
      #expect(ending == .ended(by: "client", phase: "wait"))
    }

    @Test("An aborted prefetch, by reset")
    func prefetchReset() throws {
      let ending = try Ending.of([.expectRequest, .expectEnd]) { client, origin in
        _ = try origin.waitForRequests(1)
        client.reset()
      }
      #expect(ending == .ended(by: "client", phase: "wait"))
    }

    @Test("The client goes between 103 and the response")
    func afterEarlyHints() throws {
      let ending = try Ending.of([.expectRequest, .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .expectEnd]) {
        client, _ in
        let status = try client.receiveHead().status
        #expect(status == 103)
        client.close()
      }
      #expect(ending == .ended(by: "client", phase: "wait"))
    }

    @Test("The client goes while we connect")
    func whileConnecting() throws {
      // The kernel completes one connection that nobody accepts, and drops what asks for another.
      let origin = try ScriptedOrigin(backlog: 0, acceptsAtOnce: false, [.expectEnd])
      let filler = try RawClient(port: origin.port)
      let recording = try recording(["--threads", "1"]) { proxy in
        let client = try proxy.request(origin.absoluteRequest("/x"))
        // On one loop, who is answered later has been read later: we connect by now.
        _ = try proxy.request("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").receiveResponse()
        try client.halfClose()
        #expect(try client.receiveToEnd().bytes == [])
      }
      filler.close()
      let ending = try Ending(recording.entry("/x"))
      #expect(ending == .ended(by: "client", phase: "connect"))
    }

    @Test("The server goes before the head")
    func serverBeforeTheHead() throws {
      let ending = try Ending.of([.expectRequest, .close], method: "POST") { client, _ in
        let status = try client.receiveResponse(to: "POST").status
        #expect(status == 502)
      }
      #expect(ending == .failed(origin: "upstream", kind: "closed", phase: "wait"))
    }

    // MARK: Requests

    @Test("An upload with a length that the client cut", arguments: ["Content-Length: 100", "Transfer-Encoding: chunked"])
    func upload(framing: String) throws {
      let ending = try Ending.of([.expectHead, .expectEnd], request: [framing], method: "POST", body: "4\r\nhalf\r\n") {
        client, origin in
        _ = try origin.waitForConnections(1)
        client.close()
      }
      #expect(ending == .failed(origin: "client", kind: "closed", phase: "request"))
    }

    @Test("A request that the client cut inside its head")
    func requestHead() throws {
      let recording = try recording { proxy in
        let client = try proxy.request("GET http://localhost:1/x HTTP/1.1\r\nHost: ")
        try client.halfClose()
        let echo = try client.receiveToEnd().bytes
        #expect(echo == [])
      }
      #expect(try Ending(try #require(recording.entries.first)) == .failed(origin: "client", kind: "closed", phase: "request"))
    }

    @Test("An answer before the end of the upload, and the client leaves")
    func earlyAnswer() throws {
      let ending = try Ending.of(
        [.expectHead, .respond("413 Content Too Large", fields: ["Connection: close"], body: "too much"), .expectEnd],
        request: ["Content-Length: 1000"], method: "POST", body: "some"
      ) { client, _ in
        let status = try client.receiveResponse(to: "POST").status
        #expect(status == 413)
        client.close()
      }
      #expect(ending == .requestEnded(by: "client"))
    }

    @Test("An answer before the end of the upload, and the server leaves")
    func earlyAnswerAndTheServerLeft() throws {
      let ending = try Ending.of(
        [
          .expectHead, .expect(bytes: 4), .respond("413 Content Too Large", fields: ["Connection: close"], body: "too much"),
          .close,
        ],
        request: ["Content-Length: 1000"], method: "POST", body: "some"
      ) { client, _ in
        let (bytes, _) = try client.receiveToEnd()
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("too much"))
        client.close()
      }
      #expect(ending == .requestEnded(by: "server"))
    }

    // MARK: WebSocket

    @Test("WebSocket.close(): both say it, and the client goes")
    func webSocket() throws {
      let script: [OriginStep] = [
        .expectHead, .send(WebSocketBytes.accepted), .expect(bytes: 8), .send(WebSocketBytes.close()), .expectEnd,
      ]
      let ending = try Ending.of(script, request: WebSocketBytes.request) { client, _ in
        let status = try client.receiveHead().status
        #expect(status == 101)
        try client.send(WebSocketBytes.close(isMasked: true))
        let echo = try client.receive(exactly: 4)
        #expect(echo == WebSocketBytes.close())
        client.close()
      }
      #expect(ending == .whole)
    }

    @Test("A WebSocket that the client drops without a word")
    func webSocketDropped() throws {
      let ending = try Ending.of([.expectHead, .send(WebSocketBytes.accepted), .expectEnd], request: WebSocketBytes.request) {
        client, _ in
        let status = try client.receiveHead().status
        #expect(status == 101)
        client.close()
      }
      #expect(ending == Self.byClientInReceive)
    }

    @Test("A WebSocket that the server drops without a word")
    func webSocketDroppedByTheServer() throws {
      let ending = try Ending.of([.expectHead, .send(WebSocketBytes.accepted), .close], request: WebSocketBytes.request) {
        client, _ in
        let status = try client.receiveHead().status
        #expect(status == 101)
        _ = try client.receiveToEnd()
      }
      #expect(ending == .failed(origin: "upstream", kind: "closed", phase: "receive"))
    }

    // MARK: Tunnels

    @Test("A tunnel that the client ends")
    func tunnelByTheClient() throws {
      let ending = try Ending.ofTunnel([.expect(bytes: 1), .expectEnd]) { client in
        try client.send("a")
        client.close()
      }
      #expect(ending == .whole)
    }

    @Test("A tunnel that the server ends")
    func tunnelByTheServer() throws {
      let ending = try Ending.ofTunnel([.expect(bytes: 1), .close]) { client in
        try client.send("a")
        _ = try client.receiveToEnd()
        client.close()
      }
      #expect(ending == .whole)
    }

    @Test("A tunnel that the client resets")
    func tunnelResetByTheClient() throws {
      let ending = try Ending.ofTunnel([.expect(bytes: 1), .send("b"), .expectEnd]) { client in
        try client.send("a")
        _ = try client.receive(exactly: 1)
        client.reset()
      }
      #expect(ending == Self.byClientInReceive)
    }

    @Test("A tunnel that the server resets")
    func tunnelResetByTheServer() throws {
      let ending = try Ending.ofTunnel([.expect(bytes: 1), .reset]) { client in
        try client.send("a")
        _ = try client.receiveToEnd()
      }
      #expect(ending == .failed(origin: "upstream", kind: "reset", phase: "receive"))
    }

    // MARK: Ours

    @Test("A stop in the middle of a response is ours")
    func stopped() throws {
      let origin = try ScriptedOrigin([.expectRequest, .send(Self.events), .expectEnd])
      var client: RawClient?
      let recording = try recording { proxy in
        let waiting = try proxy.request(origin.absoluteRequest("/x"))
        try Self.receiveEvent(waiting)
        client = waiting
      }
      #expect(try Ending(recording.entry("/x")) == .failed(origin: "local", kind: "shut-down", phase: "receive"))
      client?.close()
    }
  }
}
