import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The server ends a kept connection just as the next request comes. Without us, the client sees its connection end, and
  /// decides for itself whether to send the request again; so it does through us.
  @Suite struct StaleConnections {
    /// The first connection answers once, and ends when the next request is there; the others serve.
    private static func origin(_ ending: OriginStep) throws -> ScriptedOrigin {
      try ScriptedOrigin { number in
        number == 0
          ? [.expectRequest, .respond(body: "first"), .expectRequest, ending]
          : [.forever([.expectRequest, .respond(body: "again")])]
      }
    }

    @Test(
      "RFC 9112 9.3.1: A client's kept connection ends as the server's has, whatever the method and --failures",
      arguments: ["page", "connection"], ["GET", "POST"])
    func endsAsTheServers(failures: String, method: String) throws {
      for (ending, end) in [(OriginStep.close, StreamEnd.closed), (.reset, .reset)] {
        let origin = try Self.origin(ending)
        let recording = try recording(["--failures", failures]) { proxy in
          let client = try proxy.request(origin.absoluteRequest("/first"))
          #expect(try client.receiveResponse().bodyText == "first")
          try client.send(
            origin.absoluteRequest("/second", method: method, lines: method == "POST" ? ["Content-Length: 1"] : [])
              + (method == "POST" ? "x" : ""))
          let (bytes, clientEnd) = try client.receiveToEnd()
          #expect(bytes.isEmpty)
          #expect(clientEnd == end)
        }
        #expect(origin.connections.count == 1, "only the client sends again")
        let entry = try recording.entry("/second")
        #expect(entry.error?["origin"]?.string == "upstream")
        #expect(entry.tree["_localStatus"] == nil)
        #expect(entry.tree["_attempts"] == nil)
      }
    }

    @Test("curl sends a POST again, as it does without a proxy")
    func curl() throws {
      let origin = try Self.origin(.close)
      let post = ["-w", " %{http_code}\n", "-d", "x=1"]
      _ = try recording { proxy in
        let curl = try proxy.curl(post + [origin.url("/a"), origin.url("/b")])
        #expect(curl.outputText == "first 200\nagain 200\n", "\(curl.errorText)")
      }
      #expect(origin.requests.map { $0.startLine } == ["POST /a HTTP/1.1", "POST /b HTTP/1.1", "POST /b HTTP/1.1"])
    }

    @Test("The client's connection to other servers ends, too, and a new one serves them all")
    func severalServers() throws {
      let (stale, other) = (
        try Self.origin(.close), try ScriptedOrigin([.forever([.expectRequest, .respond(body: "other")])])
      )
      let urls = [stale.url("/1"), other.url("/2"), stale.url("/3"), other.url("/4")]
      let recording = try recording { proxy in
        let curl = try proxy.curl(["-w", " ", "-d", "x=1"] + urls)
        #expect(curl.outputText == "first other again other ", "\(curl.errorText)")
      }
      #expect(recording.entries.count == 5)
      #expect(recording.entries.filter { $0.error != nil }.map { $0.url } == [stale.url("/3")])
    }

    @Test("A new server's failure on a kept client connection is not taken for the end of a kept one")
    func notStale() throws {
      let (first, second) = (
        try ScriptedOrigin([.forever([.expectRequest, .respond(body: "first")])]), try ScriptedOrigin([.expectRequest, .close])
      )
      _ = try recording(["--failures", "connection"]) { proxy in
        let curl = try proxy.curl(["-d", "x=1", first.url(), second.url()])
        #expect(curl.exitStatus == .exited(56), "as if it had begun to answer")
      }
      #expect(second.connections.count == 1, "directly, a new connection that fails is not tried again")
    }
  }
}
