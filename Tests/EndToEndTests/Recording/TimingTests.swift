import TapelineTestSupport
import TapelineTime
import Testing

extension EndToEnd {
  /// Each phase against what the scripted peers themselves saw on the same clock.
  ///
  /// A phase is right when it is within 2 ms or 5 % of the truth. The machine may hold up the proxy or a peer for longer than
  /// that between two of their steps, through no fault of the instrument; so a measurement that misses is repeated, at most
  /// four times. A wrong instrument misses every time.
  @Suite struct Timing {
    private struct Truth {
      let phase: String
      let milliseconds: Double
    }

    private static func expectRight(
      sourceLocation: SourceLocation = #_sourceLocation, measure: () throws -> (RecordedEntry, [Truth])
    ) throws {
      var misses: [String] = []
      for _ in 0..<5 {
        let (entry, truths) = try measure()
        misses = truths.compactMap { truth in
          let error = abs(entry.phase(truth.phase) - truth.milliseconds)
          return error <= max(2, truth.milliseconds / 20)
            ? nil : "\(truth.phase): \(entry.phase(truth.phase)), truth \(truth.milliseconds) ms"
        }
        if misses.isEmpty { return }
      }
      Issue.record("\(misses)", sourceLocation: sourceLocation)
    }

    /// Milliseconds from the first to the last of `pieces`.
    private static func span(_ pieces: [StreamPiece]) throws -> Double {
      let first = try #require(pieces.first).instant
      return Double(try #require(pieces.last).instant.nanoseconds(since: first)) / 1e6
    }

    private static func milliseconds(from start: MonotonicInstant?, to end: MonotonicInstant?) throws -> Double {
      Double(try #require(end).nanoseconds(since: try #require(start))) / 1e6
    }

    private static func get(_ url: String, through proxy: TapelineProcess) throws {
      let client = try proxy.request("GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.receiveResponse().status == 200)
    }

    @Test func waitAndReceive() throws {
      let pieces = ["one", "two", "three", "four"].map { Array($0.utf8) }
      try Self.expectRight {
        let origin = try ScriptedOrigin(
          [.expectRequest, .delay(milliseconds: 120)] + OriginStep.respond(inPieces: pieces, every: 50))
        let recording = try recording { try Self.get(origin.url("/slow"), through: $0) }
        let entry = try recording.entry("/slow")
        #expect(entry.phase("receive") >= 148, "three pauses of 50 ms, less what a stamp may be late")
        #expect(entry.phase("wait") >= 118)
        let connection = try #require(origin.connections.first)
        return (
          entry,
          [
            Truth(
              phase: "wait",
              milliseconds: try Self.milliseconds(
                from: connection.receivedPieces.last?.instant, to: connection.sentPieces.first?.instant)),
            Truth(phase: "receive", milliseconds: try Self.span(connection.sentPieces)),
          ]
        )
      }
    }

    @Test func sendShowsASlowClient() throws {
      try Self.expectRight {
        let origin = try ScriptedOrigin([.expectRequest, .respond()])
        var truth = 0.0
        let recording = try recording { proxy in
          let client = try proxy.connect()
          let head = "PUT \(origin.url("/up")) HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"
          try client.send(pieces: [head, "a", "b", "c", "d"].map { Array($0.utf8) }, every: 40)
          #expect(try client.receiveResponse(to: "PUT").status == 200)
          truth = try Self.span(client.sentPieces)
        }
        return (try recording.entry("/up"), [Truth(phase: "send", milliseconds: truth), Truth(phase: "wait", milliseconds: 0)])
      }
    }

    /// The kernel completes the handshake, so what a slow `accept` delays is the answer.
    @Test func aSlowAcceptIsWaitedFor() throws {
      try Self.expectRight {
        let origin = try ScriptedOrigin(acceptDelay: 80, [.expectRequest, .respond()])
        let recording = try recording { try Self.get(origin.url("/accept"), through: $0) }
        let entry = try recording.entry("/accept")
        #expect(entry.phase("wait") >= 78)
        return (entry, [Truth(phase: "connect", milliseconds: 0)])
      }
    }

    /// A full backlog drops the SYN; Linux sends it again after one second, and by then there is room.
    @Test func connectLastsUntilTheHandshakeIsDone() throws {
      try Self.expectRight {
        let origin = try ScriptedOrigin(backlog: 0, acceptDelay: 300) { number in
          number == 0 ? [.expectEnd] : [.expectRequest, .respond()]
        }
        let filler = try RawClient(port: origin.port)
        let recording = try recording { try Self.get(origin.url("/syn"), through: $0) }
        filler.close()
        return (try recording.entry("/syn"), [Truth(phase: "connect", milliseconds: 1000)])
      }
    }

    @Test func aNameCostsALookUp() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond()])])
      let recording = try recording { proxy in
        for path in ["/first", "/second"] { try Self.get("http://localhost:\(origin.port)\(path)", through: proxy) }
      }
      let entry = try recording.entry("/first")
      #expect(entry.phase("dns") >= 0)
      #expect(entry.phase("connect") >= 0)
      #expect(entry.phase("ssl") == -1)
    }

    @Test func phasesFillTheTimeBetweenRequestAndAnswer() throws {
      try Self.expectRight {
        let origin = try ScriptedOrigin([.expectRequest, .delay(milliseconds: 60), .respond()])
        var total = 0.0
        let recording = try recording { proxy in
          let client = try proxy.request("GET \(origin.url("/all")) HTTP/1.1\r\nHost: x\r\n\r\n")
          _ = try client.receiveResponse()
          total = try Self.milliseconds(from: client.sentPieces.first?.instant, to: client.receivedPieces.last?.instant)
        }
        let entry = try recording.entry("/all")
        #expect(entry.time <= total, "what happened inside cannot have lasted longer than what was seen outside")
        return (entry, [Truth(phase: "wait", milliseconds: total)])
      }
    }

    @Test func theStartIsTheTimeOfDay() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond()])
      let before = timeOfDay()
      let recording = try recording { try Self.get(origin.url("/now"), through: $0) }
      let after = timeOfDay()
      let start = try #require(try recording.entry("/now").tree["startedDateTime"]?.string)
      #expect(before <= start && start <= after, "\(before) ≤ \(start) ≤ \(after)")
    }
  }
}
