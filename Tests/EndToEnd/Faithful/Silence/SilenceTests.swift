import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rule 4: we have no patience of our own, and where a limit of ours fires, the entry names it.
  @Suite struct Silence {
    /// Three minutes of the program in four seconds of ours. Its other limits are out of the way: at this rate they would be
    /// shorter than a busy machine's delays. The kernel's clock does not run faster with the program's.
    private static let rate = 45
    private static let silence = 4000
    private static let unhurried = [
      "--connect-timeout", "2h", "--header-timeout", "2h", "--response-timeout", "2h", "--clock", "loop",
    ]

    private func inFastTime(
      _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation, _ body: (TapelineProcess) throws -> Void
    ) throws -> RecordedLog {
      let proxy = try TapelineProcess(Self.unhurried + options, clockRate: Self.rate)
      try body(proxy)
      #expect(try proxy.stop(seconds: 30) == .exited(0), "\(proxy.process.errorText)", sourceLocation: sourceLocation)
      let log = try RecordedLog(contentsOf: proxy.harPath)
      #expect(violations(in: log) == [], sourceLocation: sourceLocation)
      return log
    }

    /// The harness: time does pass faster there.
    @Test func theClockIsMoved() throws {
      let origin = try ScriptedOrigin([.expectRequest, .delay(milliseconds: 1000), .respond(body: "x"), .expectEnd])
      let log = try inFastTime { proxy in
        let response = try proxy.request(origin.absoluteRequest("/x")).receiveResponse()
        #expect(response.bodyText == "x")
      }
      #expect(try log.entry("/x").phase("wait") >= 30_000)
    }

    @Test("A stream of events that is silent for three minutes goes on")
    func events() throws {
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      let origin = try ScriptedOrigin([
        .expectRequest, .send("\(head)8\r\ndata: a\n\r\n"), .delay(milliseconds: Self.silence),
        .send("8\r\ndata: b\n\r\n0\r\n\r\n"),
        .expectEnd,
      ])
      let log = try inFastTime { proxy in
        let client = try proxy.request(origin.absoluteRequest("/events"))
        #expect(try client.receiveResponse().bodyText == "data: a\ndata: b\n")
      }
      let entry = try log.entry("/events")
      #expect(entry.error == nil, "\(String(describing: entry.error))")
      #expect(entry.phase("receive") >= 170_000)
    }

    @Test("A WebSocket that is silent for three minutes goes on")
    func webSocket() throws {
      let origin = try ScriptedOrigin([
        .expectHead, .send(WebSocketBytes.accepted), .delay(milliseconds: Self.silence), .send(WebSocketBytes.text("b")),
        .send(WebSocketBytes.close()), .expectEnd,
      ])
      let log = try inFastTime { proxy in
        let client = try proxy.request(origin.absoluteRequest("/socket", lines: WebSocketBytes.request))
        #expect(try client.receiveHead().status == 101)
        #expect(try client.receive(exactly: 3) == WebSocketBytes.text("b"))
        try client.send(WebSocketBytes.close(isMasked: true))
        client.close()
        _ = try origin.waitForFinished(1)
      }
      #expect(try log.entry("/socket").error == nil)
    }

    @Test("A tunnel that is silent for three minutes goes on")
    func tunnel() throws {
      let origin = try ScriptedOrigin([.expect(bytes: 1), .delay(milliseconds: Self.silence), .send("b"), .close])
      let log = try inFastTime { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        try client.send("a")
        #expect(try client.receiveToEnd().bytes == Array("b".utf8))
      }
      #expect(log.entries.first?.error == nil)
    }

    @Test("An upload that pauses for three minutes goes on")
    func upload() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "x"), .expectEnd])
      let log = try inFastTime { proxy in
        let client = try proxy.request(origin.absoluteRequest("/upload", method: "POST", lines: ["Content-Length: 2"]))
        try client.send(pieces: [Array("a".utf8), Array("b".utf8)], every: Self.silence)
        #expect(try client.receiveResponse(to: "POST").bodyText == "x")
      }
      #expect(try log.entry("/upload").error == nil)
    }

    @Test("An idle connection lives as long as both peers want it, and both its halves")
    func idleConnection() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      _ = try inFastTime { proxy in
        let client = try proxy.connect()
        let request = origin.absoluteRequest("/x")
        try client.send(pieces: [Array(request.utf8), Array(request.utf8)], every: Self.silence)
        for _ in 0..<2 { #expect(try client.receiveResponse().bodyText == "x") }
      }
      #expect(origin.connections.map(\.requests.count) == [2])
    }

    // MARK: Limits that somebody asked for

    private func expectOurs(
      _ entry: RecordedEntry, option: String, phase: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let error = entry.error
      #expect(error?["origin"]?.string == "local", "\(String(describing: error))", sourceLocation: sourceLocation)
      #expect(error?["option"]?.string == option, "\(String(describing: error))", sourceLocation: sourceLocation)
      #expect(error?["phase"]?.string == phase, "\(String(describing: error))", sourceLocation: sourceLocation)
    }

    @Test("--idle-timeout that ends a response is ours", arguments: ["Content-Length: 10", "Transfer-Encoding: chunked"])
    func idleInAResponse(framing: String) throws {
      let exchange = try relaying(
        [.expectRequest, .send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n4\r\nha"), .expectEnd], options: ["--idle-timeout", "300ms"])
      expectOurs(exchange.entry, option: "--idle-timeout", phase: "receive")
      #expect(exchange.entry.phase("receive") >= 290)
    }

    @Test("--idle-timeout that ends an upload is ours, whoever was silent")
    func idleInAnUpload() throws {
      let origin = try ScriptedOrigin([.expectHead, .expectEnd])
      let recording = try recording(["--idle-timeout", "300ms"]) { proxy in
        let client = try proxy.request(origin.absoluteRequest("/x", method: "POST", lines: ["Content-Length: 10"]) + "half")
        _ = try client.receiveToEnd()
      }
      expectOurs(try recording.entry("/x"), option: "--idle-timeout", phase: "request")
    }

    @Test("--idle-timeout that ends a WebSocket is ours")
    func idleInAWebSocket() throws {
      let origin = try ScriptedOrigin([.expectHead, .send(WebSocketBytes.accepted), .expectEnd])
      let recording = try recording(["--idle-timeout", "300ms"]) { proxy in
        let client = try proxy.request(origin.absoluteRequest("/socket", lines: WebSocketBytes.request))
        #expect(try client.receiveHead().status == 101)
        _ = try client.receiveToEnd()
      }
      expectOurs(try recording.entry("/socket"), option: "--idle-timeout", phase: "receive")
    }

    @Test("--idle-timeout that ends a tunnel is ours")
    func idleInATunnel() throws {
      let origin = try ScriptedOrigin([.expectEnd])
      let recording = try recording(["--idle-timeout", "300ms"]) { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        _ = try client.receiveToEnd()
      }
      expectOurs(try #require(recording.entries.first), option: "--idle-timeout", phase: "receive")
    }

    @Test("--response-timeout is ours")
    func response() throws {
      let exchange = try relaying([.expectRequest, .expectEnd], options: ["--response-timeout", "300ms"])
      expectOurs(exchange.entry, option: "--response-timeout", phase: "wait")
      #expect(exchange.entry.phase("wait") >= 290)
      #expect(exchange.text.hasPrefix("HTTP/1.1 504 "))
    }

    @Test("--connect-timeout is ours")
    func connect() throws {
      // The kernel completes one connection that nobody accepts, and drops what asks for another.
      let origin = try ScriptedOrigin(backlog: 0, acceptsAtOnce: false, [.expectEnd])
      let filler = try RawClient(port: origin.port)
      let recording = try recording(["--connect-timeout", "300ms"]) { proxy in
        let response = try proxy.request(origin.absoluteRequest("/x")).receiveResponse()
        #expect(response.status == 504)
      }
      filler.close()
      let entry = try recording.entry("/x")
      expectOurs(entry, option: "--connect-timeout", phase: "connect")
      #expect(entry.phase("connect") >= 290)
    }

    @Test("--connect-timeout that ends a handshake with the server is ours")
    func handshake() throws {
      let directory = try TemporaryDirectory()
      // It takes the hello, and says nothing.
      let origin = try ScriptedOrigin([.expectEnd])
      let options = ["--intercept", "--ca-dir", directory.path, "--connect-timeout", "300ms"]
      let recording = try recording(options) { proxy in
        let curl = try proxy.curl(["-o", "/dev/null", "--cacert", directory.path("ca.pem"), "https://localhost:\(origin.port)/x"])
        #expect(curl.exitStatus != nil)
      }
      let failed = try #require(recording.entries.first { $0.error != nil }, "\(recording.entries.map(\.tree))")
      expectOurs(failed, option: "--connect-timeout", phase: "tls")
    }

    @Test("--header-timeout is ours")
    func head() throws {
      let recording = try recording(["--header-timeout", "300ms"]) { proxy in
        let client = try proxy.request("GET http://localhost:1/x HTTP/1.1\r\nHost: ")
        #expect(try client.receiveResponse().status == 408)
      }
      expectOurs(try #require(recording.entries.first), option: "--header-timeout", phase: "request")
    }

    @Test("--max-header-size is ours, for requests and for responses")
    func size() throws {
      let request = try recording(["--max-header-size", "1KiB"]) { proxy in
        let client = try proxy.request("GET http://localhost:1/x HTTP/1.1\r\nX: \(String(repeating: "x", count: 2000))\r\n\r\n")
        #expect(try client.receiveResponse().status == 431)
      }
      expectOurs(try #require(request.entries.first), option: "--max-header-size", phase: "request")
      let response = try relaying(
        [.expectRequest, .send("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 2000))\r\n\r\n"), .expectEnd],
        options: ["--max-header-size", "1KiB"])
      expectOurs(response.entry, option: "--max-header-size", phase: "receive")
    }

    @Test("What nobody asked us to limit ends by who ends it")
    func notOurs() throws {
      let exchange = try relaying([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close])
      #expect(exchange.entry.error?["origin"]?.string == "upstream")
      #expect(exchange.entry.error?["option"] == nil)
    }
  }
}
