import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Requests in a tunnel that is read. It carries plain HTTP here, so that the bytes can be compared; with TLS nothing else is
  /// different.
  @Suite struct InterceptedRequests {
    private let authority: TemporaryDirectory

    init() throws {
      authority = try TemporaryDirectory()
    }

    private var interception: [String] { ["--intercept", "--ca-dir", authority.path] }

    private func tunnel(to origin: ScriptedOrigin, through proxy: TapelineProcess) throws -> RawClient {
      let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
      try #require(try client.receiveResponse(to: "CONNECT").status == 200)
      return client
    }

    @Test("RFC 9110 7.6: a request inside a tunnel that is read goes where the tunnel leads, by the same rules")
    func theSameRules() throws {
      let origin = try ScriptedOrigin.echo()
      let recording = try recording(interception) { proxy in
        let client = try tunnel(to: origin, through: proxy)
        for (request, expected) in [
          ("GET /a?q#f HTTP/1.1\r\nHost: other.example\r\nConnection: X\r\nX: 1", "GET /a?q HTTP/1.1\r\nHost: other.example"),
          ("OPTIONS * HTTP/1.1\r\nHost: other.example", "OPTIONS * HTTP/1.1\r\nHost: other.example"),
          ("GET http://user:hush@other.example?q HTTP/1.1\r\nHost: third.example", "GET /?q HTTP/1.1\r\nHost: other.example"),
          ("GET / HTTP/1.0\r\nConnection: keep-alive", "GET / HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: keep-alive"),
        ] {
          try client.send("\(request)\r\n\r\n")
          #expect(try client.receiveResponse().bodyText == "\(expected)\r\n\r\n")
        }
      }
      #expect(recording.entries.count == 4)
      #expect(!(try readText(recording.proxy.harPath)).contains("hush"))
    }

    @Test("RFC 9110 7.6: what is refused is refused inside a tunnel that is read, too")
    func theSameRefusals() throws {
      let origin = try ScriptedOrigin.echo()
      let recording = try recording(interception) { proxy in
        for (request, status) in [
          ("GET https://\(origin.authority)/ HTTP/1.1\r\nHost: x", 400), ("CONNECT \(origin.authority) HTTP/1.1\r\nHost: x", 501),
          ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", 400), ("GET / HTTP/1.1", 400),
        ] {
          // The first request of a tunnel says that it carries HTTP; what begins in another way is relayed unread.
          let client = try tunnel(to: origin, through: proxy)
          try client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
          #expect(try client.receiveResponse().status == 200)
          try client.send("\(request)\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.status == status, "\(request)")
          #expect(response.value(of: "Proxy-Status")?.hasPrefix("tapeline; error=") == true, "\(request)")
          if response.value(of: "Connection") == "close" { #expect(try client.receiveToEnd().bytes == [], "\(request)") }
        }
      }
      #expect(origin.requests.map(\.startLine) == Array(repeating: "GET /first HTTP/1.1", count: 4))
      #expect(
        recording.entriesAsTheyCame.map { $0.error?["origin"]?.string } == (0..<8).map { $0.isMultiple(of: 2) ? nil : "client" })
    }
  }
}
