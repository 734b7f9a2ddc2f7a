import TapelineTestSupport
import TapelineTime
import Testing

extension EndToEnd {
  /// Each phase between what the scripted peers saw on the same clock.
  ///
  /// The bounds follow from cause and effect, so they hold however slow the machine is: what happened between two events of the
  /// origin happened within the phase; the phase happened within what its client saw. Only the proxy's stamp may come late: a
  /// thread can be held up between its system call and the look at the clock. A phase that is shorter than its lower bound for
  /// that is measured again, at most four times; a wrong instrument misses every time.
  @Suite struct Timing {
    private struct Bounds {
      let phase: String
      /// Milliseconds.
      let atLeast: Double
      let atMost: Double

      init(_ phase: String, atLeast: Double = 0, atMost: Double) {
        self.phase = phase
        self.atLeast = atLeast
        self.atMost = atMost
      }
    }

    /// What a stamp on a quiet machine may be late, in milliseconds.
    private static let lateness = 2.0

    private static func expectRight(
      sourceLocation: SourceLocation = #_sourceLocation, measure: () throws -> (RecordedEntry, [Bounds])
    ) throws {
      var misses: [String] = []
      for _ in 0..<5 {
        let (entry, bounds) = try measure()
        for bound in bounds {
          #expect(entry.phase(bound.phase) <= bound.atMost + 0.001, "\(bound.phase)", sourceLocation: sourceLocation)
        }
        misses = bounds.filter { entry.phase($0.phase) < $0.atLeast - lateness }.map {
          "\($0.phase): \(entry.phase($0.phase)), at least \($0.atLeast) ms"
        }
        if misses.isEmpty { return }
      }
      Issue.record("\(misses)", sourceLocation: sourceLocation)
    }

    private static func milliseconds(from start: MonotonicInstant?, to end: MonotonicInstant?) throws -> Double {
      Double(try #require(end).nanoseconds(since: try #require(start))) / 1e6
    }

    /// Milliseconds from the first to the last of `pieces`.
    private static func span(_ pieces: [StreamPiece]) throws -> Double {
      try milliseconds(from: pieces.first?.instant, to: pieces.last?.instant)
    }

    /// Gets `url`, and returns how long that took its client, in milliseconds.
    @discardableResult
    private static func get(_ url: String, through proxy: TapelineProcess) throws -> Double {
      let client = try proxy.request("GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.receiveResponse().status == 200)
      return try milliseconds(from: client.sentPieces.first?.instant, to: client.receivedPieces.last?.instant)
    }

    @Test func waitAndReceive() throws {
      let pieces = ["one", "two", "three", "four"].map { Array($0.utf8) }
      try Self.expectRight {
        let origin = try ScriptedOrigin(
          [.expectRequest, .delay(milliseconds: 120)] + OriginStep.respond(inPieces: pieces, every: 50))
        var total = 0.0
        let recording = try recording { total = try Self.get(origin.url("/slow"), through: $0) }
        let connection = try #require(origin.connections.first)
        let wait = try Self.milliseconds(
          from: connection.receivedPieces.last?.instant, to: connection.sentPieces.first?.instant)
        #expect(wait >= 120)
        return (
          try recording.entry("/slow"),
          [Bounds("wait", atLeast: wait, atMost: total), Bounds("receive", atLeast: 150, atMost: total)]
        )
      }
    }

    @Test func sendShowsASlowClient() throws {
      try Self.expectRight {
        let origin = try ScriptedOrigin([.expectHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expect(bytes: 4), .respond()])
        var (slowness, total) = (0.0, 0.0)
        let recording = try recording { proxy in
          let client = try proxy.request(
            "PUT \(origin.url("/up")) HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
          // The origin has the head: the proxy's sending has begun.
          #expect(try client.receiveResponse(to: "PUT").status == 100)
          try client.send(pieces: ["a", "b", "c", "d"].map { Array($0.utf8) }, every: 40)
          #expect(try client.receiveResponse(to: "PUT").status == 200)
          slowness = try Self.span(Array(client.sentPieces.dropFirst()))
          total = try Self.milliseconds(from: client.sentPieces.first?.instant, to: client.receivedPieces.last?.instant)
        }
        #expect(slowness >= 120)
        return (
          try recording.entry("/up"),
          [Bounds("send", atLeast: slowness, atMost: total), Bounds("wait", atMost: total - slowness)]
        )
      }
    }

    /// The kernel completes the handshake, so what a slow `accept` delays is the answer. On a busy machine, the proxy may see
    /// late that it is connected, while the delay runs: then it is measured again.
    @Test func aSlowAcceptIsWaitedFor() throws {
      try Self.expectRight {
        let origin = try ScriptedOrigin(acceptDelay: 80, [.expectRequest, .respond()])
        var total = 0.0
        let recording = try recording { total = try Self.get(origin.url("/accept"), through: $0) }
        return (
          try recording.entry("/accept"), [Bounds("wait", atLeast: 80, atMost: total), Bounds("connect", atMost: total)]
        )
      }
    }

    /// A full backlog drops the SYN; Linux sends it again after one second, and by then there is room.
    @Test func connectLastsUntilTheHandshakeIsDone() throws {
      try Self.expectRight {
        let origin = try ScriptedOrigin(backlog: 0, acceptsAtOnce: false) { number in
          number == 0 ? [.expectEnd] : [.expectRequest, .respond()]
        }
        let filler = try RawClient(port: origin.port)
        var total = 0.0
        let recording = try recording { proxy in
          let client = try proxy.request("GET \(origin.url("/syn")) HTTP/1.1\r\nHost: x\r\n\r\n")
          try origin.waitForDroppedSYN()
          try origin.startAccepting()
          #expect(try client.receiveResponse().status == 200)
          total = try Self.milliseconds(from: client.sentPieces.first?.instant, to: client.receivedPieces.last?.instant)
        }
        filler.close()
        return (try recording.entry("/syn"), [Bounds("connect", atLeast: 1000, atMost: total)])
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
        let recording = try recording { total = try Self.get(origin.url("/all"), through: $0) }
        let entry = try recording.entry("/all")
        #expect(entry.time <= total, "what happened inside cannot have lasted longer than what was seen outside")
        return (entry, [Bounds("wait", atLeast: 60, atMost: total)])
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
