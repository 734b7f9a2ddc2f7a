import Dispatch
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// How long an origin may take: 504 with the error type of RFC 9209, or a response that is cut off; always an entry.
  @Suite struct OriginTimeouts {
    private static let drip = Array(repeating: [OriginStep.delay(milliseconds: 40), .send("x")], count: 200).flatMap { $0 }

    private static func expectTimeout(
      _ exchange: OriginExchange, proxyStatus: String, phase: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(exchange.text.hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"), sourceLocation: sourceLocation)
      #expect(exchange.text.contains("\r\nProxy-Status: tapeline; error=\(proxyStatus)\r\n"), sourceLocation: sourceLocation)
      #expect(exchange.entry.error?["kind"]?.string == "timed-out", sourceLocation: sourceLocation)
      #expect(exchange.entry.error?["phase"]?.string == phase, sourceLocation: sourceLocation)
      #expect(exchange.entry.tree["_localStatus"]?.integer == 504, sourceLocation: sourceLocation)
    }

    @Test("RFC 9209 2.3.26: An origin that says nothing within --response-timeout is 504, http_response_timeout")
    func silence() throws {
      let exchange = try relaying([.expectRequest, .expectEnd], options: ["--response-timeout", "300ms"])
      Self.expectTimeout(exchange, proxyStatus: "http_response_timeout", phase: "wait")
      #expect(exchange.entry.phase("wait") >= 290)
    }

    @Test("RFC 9209 2.3.26: A response head that drips has no more time than one that does not come")
    func drippingHead() throws {
      for start in ["", "HTTP/1.1 200 OK\r\n"] {
        let begun: [OriginStep] = [.expectRequest, .send(start.isEmpty ? "HTTP/1.1 200 O" : "\(start)X: ")]
        let exchange = try relaying(begun + Self.drip, options: ["--response-timeout", "300ms"])
        Self.expectTimeout(exchange, proxyStatus: "http_response_timeout", phase: "wait")
        let origin = try #require(exchange.origin.connections.first)
        #expect(origin.sentPieces.count < 100, "the rest was not waited for")
      }
    }

    @Test("RFC 9110 15.2: An origin that says that it is at work has as long again")
    func interimResponses() throws {
      // Each step is far within the time, and all together are beyond it, however slow the machine is.
      let working: [OriginStep] = [.delay(milliseconds: 1_100), .send("HTTP/1.1 102 Processing\r\n\r\n")]
      let exchange = try relaying(
        [.expectRequest] + working + working + [.delay(milliseconds: 1_100), .respond(body: "done"), .expectEnd],
        options: ["--response-timeout", "3s"])
      #expect(exchange.text.hasSuffix("\r\n\r\ndone"))
      let silent = try relaying([.expectRequest] + working + [.expectEnd], options: ["--response-timeout", "3s"])
      #expect(silent.text.hasPrefix("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 504 Gateway Timeout\r\n"))
    }

    @Test("RFC 9209 2.3.10: An origin that falls silent in its content cuts it off after --idle-timeout")
    func silentContent() throws {
      let exchange = try relaying(
        [.expectRequest, .send("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 10\r\n\r\nhalf"), .expectEnd],
        options: ["--idle-timeout", "300ms"])
      #expect(
        exchange.text
          == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhalf")
      #expect(exchange.entry.error?["kind"]?.string == "timed-out")
      #expect(exchange.entry.error?["phase"]?.string == "receive")
      #expect(exchange.entry.status == 200)
    }

    @Test("RFC 9209 2.3.11: An origin that takes no more of an upload is 504 after --idle-timeout")
    func untakenUpload() throws {
      let isOver = DispatchSemaphore(value: 0)
      let origin = try ScriptedOrigin([.expectHead, .run { _ in isOver.wait() }])
      let recording = try recording(["--idle-timeout", "300ms"]) { proxy in
        defer { isOver.signal() }
        let client = try proxy.request(origin.absoluteRequest("/x", method: "POST", lines: ["Content-Length: 100000000"]))
        let piece = [UInt8](repeating: 97, count: 1 << 20)
        do {
          for _ in 0..<100 { try client.send(piece) }
        } catch let error as TestSupportError {
          guard case .system(call: "send", code: _) = error else { throw error }
        }
        let response = try client.receiveResponse(to: "POST")
        #expect(response.startLine == "HTTP/1.1 504 Gateway Timeout")
        #expect(response.value(of: "Proxy-Status") == "tapeline; error=connection_write_timeout")
        #expect(response.value(of: "Connection") == "close")
      }
      let entry = try recording.entry("/x")
      #expect(entry.error?["kind"]?.string == "timed-out")
      #expect(entry.error?["phase"]?.string == "send")
    }

    @Test("RFC 9209 2.3.9: An address that does not answer within --connect-timeout is 504, connection_timeout")
    func unansweredConnect() throws {
      // The kernel completes one connection that nobody accepts, and drops what asks for another.
      let origin = try ScriptedOrigin(backlog: 0, acceptsAtOnce: false, [.expectEnd])
      let filler = try RawClient(port: origin.port)
      let recording = try recording(["--connect-timeout", "300ms"]) { proxy in
        let client = try proxy.request(origin.absoluteRequest("/x"))
        let response = try client.receiveResponse()
        #expect(response.startLine == "HTTP/1.1 504 Gateway Timeout")
        #expect(response.value(of: "Proxy-Status") == "tapeline; error=connection_timeout")
      }
      filler.close()
      let entry = try recording.entry("/x")
      #expect(entry.error?["kind"]?.string == "timed-out")
      #expect(entry.error?["phase"]?.string == "connect")
      #expect(entry.phase("connect") >= 290)
    }

    @Test("RFC 9112 9.3: An idle connection is closed after --idle-timeout")
    func idleConnection() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "x"), .expectEnd])
      _ = try recording(["--idle-timeout", "300ms"]) { proxy in
        let client = try proxy.request(origin.absoluteRequest("/x"))
        #expect(try client.receiveResponse().bodyText == "x")
        let connection = try #require(try origin.waitForFinished(1).first)
        #expect(connection.end == .closed)
        #expect(connection.failure == nil)
      }
    }
  }
}
