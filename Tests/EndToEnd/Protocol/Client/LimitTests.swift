import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Each bound at its edge: what is as long as the bound is forwarded, one byte more is refused. `Tests/Fixtures/wire` has the
  /// requests.
  @Suite struct RequestLimits {
    /// The requests of a group that are within the bound, and those that are not, each on a connection of its own.
    private static func expect(_ group: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let vectors = try WireVectors.read("request-limits")
      let origin = try ScriptedOrigin.echo()
      let within = try vectors.passed(group, origin: origin.authority)
      let beyond = vectors.refusals(group, origin: origin.authority)
      #expect(!within.isEmpty && !beyond.isEmpty, sourceLocation: sourceLocation)
      let recording = try recording(vectors.options(group), sourceLocation: sourceLocation) { proxy in
        for message in within {
          let response = try proxy.request(message.text).receiveResponse()
          #expect(response.status == 200, sourceLocation: sourceLocation)
        }
        for request in beyond {
          let client = try proxy.connect()
          try client.send(request.bytes)
          let response = try client.receiveResponse()
          #expect(response.status == request.status, sourceLocation: sourceLocation)
          #expect(response.values(of: "Connection") == ["close"], sourceLocation: sourceLocation)
          #expect(response.bodyText.contains("limit"), "\(response.bodyText)", sourceLocation: sourceLocation)
          #expect(try client.receiveToEnd().bytes == [], sourceLocation: sourceLocation)
        }
      }
      #expect(origin.requests.count == within.count, sourceLocation: sourceLocation)
      // The entry of what was forwarded may come after that of a refusal.
      let kinds = recording.entries.compactMap { $0.error?["kind"]?.string }
      #expect(kinds == beyond.map(\.kind), sourceLocation: sourceLocation)
      #expect(recording.entries.count == within.count + beyond.count, sourceLocation: sourceLocation)
    }

    @Test("RFC 9112 3: a request line has at most 1 MiB, or 414")
    func requestLine() throws {
      // Nobody waits for a line that has become too long to end.
      try Self.expect("request line")
    }

    @Test("RFC 9110 5.4: the fields of a head have at most 1 MiB, or 431; --max-header-size moves it")
    func headerBlock() throws {
      for group in ["fields", "fields, --max-header-size 2KiB", "fields, --max-header-size 128KiB"] { try Self.expect(group) }
    }

    @Test("RFC 9110 5.4: a head has at most 10,000 fields, or 431")
    func fieldCount() throws {
      try Self.expect("field lines")
    }

    @Test("RFC 9112 7.1.1: a chunk extension has at most 1 MiB, or 400")
    func chunkExtension() throws {
      try Self.expect("chunk extension")
    }

    @Test("RFC 9112 7.1.2: trailers have at most 1 MiB and 10,000 fields, or 431")
    func trailers() throws {
      try Self.expect("trailers")
    }

    @Test("RFC 9110 8.6: the longest length is 63 bits, and is announced as it is")
    func longestLength() throws {
      let origin = try ScriptedOrigin([.expectHead, .respond("413 Content Too Large", body: "no"), .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request(
          "PUT \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 9223372036854775807\r\n\r\nbegin")
        #expect(try client.receiveResponse(to: "PUT").status == 413)
      }
      #expect(origin.connections.first?.receivedText.contains("\r\nContent-Length: 9223372036854775807\r\n") == true)
      #expect(recording.entries.map(\.status) == [413])
    }
  }
}
