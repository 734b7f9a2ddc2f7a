import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Answers with lines that tapeline mends, to requests that have a secret: each is recorded, and the next one is served.
  @Suite struct MendedSecrets {
    private static let secret = "q8Zk4Lw0Xys3cr3tV7"

    private static let fold =
      "Set-Cookie: lang=en;\r\n Path=/\r\nX-Other: 1\r\nSet-Cookie: a=1;\r\n\tPath=/\r\nX-Copy: \(secret)\r\n"

    private static let answers = [
      "HTTP/1.1 200 OK\r\n\(fold)Content-Length: 2\r\n\r\nok",
      "HTTP/1.1 103 Early Hints\r\n\(fold)\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Copy: \(secret)\r\n\r\n",
      "HTTP/1.0 200 OK\r\nX-Other : 2\r\n\(fold)Content-Length: 2\r\n\r\nok",
    ]

    @Test("A folded line before another one, with a secret in the request, is recorded")
    func recorded() throws {
      let origins = try Self.answers.map { answer in
        try ScriptedOrigin([.forever([.expectRequest, .send(answer), .close])])
      }
      let recording = try recording { proxy in
        for origin in origins {
          let call = ["-H", "Authorization: Bearer \(Self.secret)", "-H", "X-Copy: \(Self.secret)", origin.url("/")]
          let end = try proxy.curl(call).exitStatus
          #expect(end == .exited(0))
        }
      }
      #expect(recording.entries.map(\.status) == [200, 200, 200, 200])
      #expect(!(try readText(recording.log.path)).contains(Self.secret))
    }
  }
}
