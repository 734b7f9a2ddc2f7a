import TapelineTestSupport
import TapelineTime
import Testing

extension EndToEnd {
  /// What a client may take its time for. All clients are slow at the same time, so that the test is as long as the slowest.
  @Suite struct Patience {
    @Test("RFC 9110 15.5.9: a head has its time from its first byte on, however it drips; silence between requests just ends")
    func slowClients() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      let upload = try ScriptedOrigin([.expectHead, .expectEnd])
      let recording = try recording(["--header-timeout", "1s", "--idle-timeout", "700ms"]) { proxy in
        let silent = try proxy.connect()
        let emptyLine = try proxy.request("\r\n")
        let between = try proxy.request("GET \(origin.url("/whole")) HTTP/1.1\r\nHost: x\r\n\r\n\r\n")
        let stalled = try proxy.request("POST \(upload.url("/stalled")) HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        #expect(try between.receiveResponse().status == 200)

        let dripping = try proxy.connect()
        // Each byte comes before the idle time-out, the last one just before the head's time is over.
        try dripping.send(pieces: ["G", "E", "T", " ", "h"].map { Array($0.utf8) }, every: 200)
        let response = try dripping.receiveResponse()
        #expect(response.status == 408)
        #expect(response.value(of: "Proxy-Status") == "tapeline; error=http_request_error")
        #expect(response.values(of: "Connection") == ["close"])
        #expect(try dripping.receiveToEnd().bytes == [])
        let began = try #require(dripping.sentPieces.first).instant
        let waited = try #require(dripping.receivedPieces.first).instant.nanoseconds(since: began)
        #expect(waited >= 1_000_000_000, "not before its time")
        #expect(waited < 1_790_000_000, "the last byte has not begun it anew")

        let late = try stalled.receiveResponse(to: "POST")
        #expect(late.status == 408, "a body has the idle time-out between its bytes")
        #expect(late.values(of: "Connection") == ["close"])
        #expect(try stalled.receiveToEnd().bytes == [])
        for client in [silent, emptyLine, between] {
          let (rest, end) = try client.receiveToEnd()
          #expect(rest == [] && end == .closed, "who owes nothing is told nothing")
        }
      }
      #expect(upload.connections.first?.receivedText.hasSuffix("\r\n\r\nhalf") == true)
      let failures = recording.entries.map { $0.error?["kind"]?.string }
      #expect(failures.count == 3 && failures.count { $0 == "timed-out" } == 2, "the silent ones are no exchanges: \(failures)")
      let stalledError = try recording.entry("/stalled").error
      #expect(stalledError?["origin"]?.string == "local", "the limit is ours")
      #expect(stalledError?["option"]?.string == "--idle-timeout")
    }
  }
}
