import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What a client is told when the answer is ours.
  @Suite struct ErrorAnswers {
    private static let cases: [(request: String, status: Int, error: String)] = [
      ("GET ftp://a/", 400, "http_request_error"), ("GET http://denied.example/", 403, "http_request_denied"),
      ("GET http://127.0.0.1:1/", 502, "connection_refused"), ("GET http://nowhere.invalid/", 502, "dns_error"),
      ("GET http://a/ X", 400, "http_request_error"),
    ]

    @Test("RFC 9209 2: an answer of our own is a short text that says what failed, and has the error's type")
    func areShortTexts() throws {
      let recording = try recording(["--deny-host", "denied.example"]) { proxy in
        for (line, status, error) in Self.cases {
          let response = try proxy.request("\(line) HTTP/1.1\r\nHost: x\r\n\r\n").receiveResponse()
          #expect(response.status == status, "\(line)")
          #expect(response.values(of: "Proxy-Status") == ["tapeline; error=\(error)"], "\(line)")
          #expect(response.values(of: "Content-Type") == ["text/plain; charset=utf-8"], "\(line)")
          #expect(response.values(of: "Content-Length") == ["\(response.body.count)"], "\(line)")
          #expect(response.value(of: "Date")?.hasSuffix(" GMT") == true, "\(line)")
          #expect(response.value(of: "Via") == nil, "nobody else has answered")
          #expect(response.bodyText.hasPrefix("tapeline: ") && response.bodyText.hasSuffix("\n"), "\(response.bodyText)")
          #expect(response.body.count < 300, "\(response.bodyText)")
        }
      }
      #expect(recording.entries.count == Self.cases.count)
      #expect(recording.entries.allSatisfy { $0.error?["message"]?.string?.isEmpty == false }, "each says why")
    }

    @Test("RFC 9110 9.3.2: an answer of our own to HEAD has no content, and the connection goes on")
    func toHEADHaveNoContent() throws {
      let origin = try ScriptedOrigin.echo()
      _ = try recording(["--deny-host", "denied.example"]) { proxy in
        let client = try proxy.connect()
        for (target, status) in [
          ("ftp://a/", 400), ("http://denied.example/", 403), ("http://127.0.0.1:1/", 502), ("http://nowhere.invalid/", 502),
          ("http://127.0.0.1:\(proxy.port)/nothing", 404), ("http://127.0.0.1:\(proxy.port)/", 200),
        ] {
          try client.send("HEAD \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
          let response = try client.receiveResponse(to: "HEAD")
          #expect(response.status == status, "\(target)")
          #expect(response.values(of: "Connection") == [], "\(target)")
          #expect((response.value(of: "Content-Length").flatMap { Int($0) } ?? 0) > 0, "what GET would have had: \(target)")
        }
        try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.receiveResponse().bodyText.hasPrefix("GET / HTTP/1.1\r\n"), "not a byte stood before it")
      }
    }

    @Test("RFC 9112 9.6: an answer of our own to a request with a body ends the connection, and arrives whole")
    func toAnUploadEndTheConnection() throws {
      let origin = try ScriptedOrigin([.expectEnd])
      _ = try recording { proxy in
        for (line, more) in [
          ("PUT ftp://a/", ""), ("PUT http://127.1:\(proxy.port)/", ""),
          ("PUT \(origin.url())", "Content-Length: 1\r\n"),
        ] {
          let client = try proxy.request("\(line) HTTP/1.1\r\nHost: x\r\n\(more)Content-Length: 300000\r\n\r\n")
          // It is still being sent when the answer comes: a reset would take the answer away.
          do { try client.send([UInt8](repeating: 120, count: 300_000)) } catch TestSupportError.system {}
          let response = try client.receiveResponse(to: "PUT")
          #expect((400...599).contains(response.status) && response.bodyText.hasPrefix("tapeline: "))
          #expect(response.values(of: "Connection") == ["close"])
          #expect(try client.receiveToEnd().bytes == [])
        }
      }
      #expect(origin.connections.isEmpty)
    }
  }
}
