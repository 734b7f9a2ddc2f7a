import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Every failure is answered, or the connection ends, and every one is an entry that all validators accept.
  @Suite struct Failures {
    private static func failingEntry(
      _ path: String, from script: [OriginStep], sourceLocation: SourceLocation = #_sourceLocation,
      client: (TapelineProcess, ScriptedOrigin) throws -> Void
    ) throws -> RecordedEntry {
      let origin = try ScriptedOrigin(script)
      let recording = try recording(sourceLocation: sourceLocation) { try client($0, origin) }
      try HARValidators.expectAccepted(recording.log.path, sourceLocation: sourceLocation)
      return try recording.entry(path, sourceLocation: sourceLocation)
    }

    @Test func aRefusedConnection() throws {
      let recording = try recording { proxy in
        let curl = try proxy.curl(["-w", "%{http_code}", "-o", "/dev/null", "http://127.0.0.1:1/refused"])
        #expect(curl.outputText == "502")
      }
      try HARValidators.expectAccepted(recording.log.path)
      let entry = try recording.entry("/refused")
      #expect(entry.status == 0)
      #expect(entry.error?["origin"]?.string == "upstream")
      #expect(entry.error?["phase"]?.string == "connect")
      #expect(entry.phase("connect") >= 0, "it was begun")
      #expect(entry.phase("receive") == 0)
    }

    @Test func anUnknownHost() throws {
      let recording = try recording { proxy in
        let client = try proxy.request("GET http://nowhere.invalid/ HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.status == 502)
        #expect(response.value(of: "Proxy-Status")?.contains("dns") == true)
        #expect(response.bodyText.contains("nowhere.invalid"), "it says what failed")
        // The connection is none the worse for it.
        try client.send("GET http://nowhere.invalid/again HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
        #expect(try client.receiveResponse().status == 502)
      }
      try HARValidators.expectAccepted(recording.log.path)
      let entry = try recording.entry("/again")
      #expect(entry.status == 0)
      #expect(entry.error?["phase"]?.string == "dns")
      #expect(entry.phase("dns") >= 0)
      #expect(entry.phase("connect") == -1)
    }

    @Test func aServerThatDiesInALengthBody() throws {
      let entry = try Self.failingEntry(
        "/dies", from: [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"), .close]
      ) {
        proxy, origin in
        let curl = try proxy.curl([origin.url("/dies")])
        #expect(curl.exitStatus == .exited(18), "a truncated body is never made to look complete")
        #expect(curl.outputText == "only this")
      }
      #expect(entry.error?["origin"]?.string == "upstream")
      #expect(entry.error?["phase"]?.string == "receive")
      #expect(entry.responseBodySize == 9)
    }

    @Test func aServerThatDiesInAChunkedBody() throws {
      let entry = try Self.failingEntry(
        "/dies",
        from: [.expectRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nonly\r\n64\r\nthis"), .close]
      ) { proxy, origin in
        let client = try proxy.request("GET \(origin.url("/dies")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let (bytes, _) = try client.receiveToEnd()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("only"))
        #expect(!text.hasSuffix("0\r\n\r\n"), "no last chunk")
      }
      #expect(entry.error?["phase"]?.string == "receive")
    }

    @Test func aServerThatResets() throws {
      let entry = try Self.failingEntry("/reset", from: [.expectRequest, .reset]) { proxy, origin in
        let client = try proxy.request("GET \(origin.url("/reset")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse().status == 502)
      }
      #expect(entry.status == 0)
      #expect(entry.error?["phase"]?.string == "wait")
    }

    @Test func aServerThatClosesWithoutAWord() throws {
      let entry = try Self.failingEntry("/silent", from: [.expectRequest, .close]) { proxy, origin in
        let client = try proxy.request(
          "POST \(origin.url("/silent")) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 1\r\n\r\nx")
        #expect(try client.receiveResponse(to: "POST").status == 502)
      }
      #expect(entry.error?["phase"]?.string == "wait")
      #expect(entry.requestBodySize == 1)
    }

    @Test func aClientThatHangsUpWhileItWaits() throws {
      let entry = try Self.failingEntry("/impatient", from: [.expectRequest, .expectEnd]) { proxy, origin in
        let client = try proxy.request("GET \(origin.url("/impatient")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let connection = try #require(try origin.waitForConnections(1).first)
        client.reset()
        _ = try origin.waitForFinished(1)
        #expect(connection.end != nil, "work upstream is cancelled")
      }
      #expect(entry.error == nil)
      #expect(entry.tree["_ended"]?["by"]?.string == "client")
    }

    @Test func aClientThatHangsUpInTheBody() throws {
      let piece = [UInt8](repeating: 120, count: 100_000)
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
        .run { connection in while true { try connection.send(piece) } },
      ])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/torrent")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try client.receive(exactly: 1_000_000)
        client.reset()
        _ = try origin.waitForFinished(1)
      }
      try HARValidators.expectAccepted(recording.log.path)
      let entry = try recording.entry("/torrent")
      #expect(entry.error?["origin"]?.string == "client")
      #expect((entry.responseBodySize ?? 0) >= 900_000)
    }

    @Test func aClientThatHangsUpInItsUpload() throws {
      let entry = try Self.failingEntry("/half", from: [.expectHead, .expectEnd]) { proxy, origin in
        let client = try proxy.request(
          "POST \(origin.url("/half")) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 100\r\n\r\nhalf of it")
        _ = try origin.waitForConnections(1)
        client.close()
        let connection = try #require(try origin.waitForFinished(1).first)
        #expect(!connection.receivedText.hasSuffix("\r\n0\r\n\r\n"))
      }
      #expect(entry.error?["origin"]?.string == "client")
      #expect(entry.error?["phase"]?.string == "request")
    }

    @Test func anAnswerBeforeTheUploadHasEnded() throws {
      let origin = try ScriptedOrigin([
        .expectHead, .respond("413 Content Too Large", fields: ["Connection: close"], body: "too much"), .expectEnd,
      ])
      let recording = try recording { proxy in
        let client = try proxy.request(
          "POST \(origin.url("/big")) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 1000000\r\n\r\nfirst part")
        let response = try client.receiveResponse(to: "POST")
        #expect(response.status == 413)
        #expect(response.bodyText == "too much")
      }
      let entry = try recording.entry("/big")
      #expect(entry.status == 413)
      #expect(entry.phase("wait") >= 0)
    }
  }
}
