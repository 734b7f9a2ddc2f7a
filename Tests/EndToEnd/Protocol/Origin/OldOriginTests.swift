import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Origins that speak HTTP/1.0, which has no chunks.
  @Suite struct OldOrigins {
    private static let answer = "HTTP/1.0 200 OK\r\nDate: now\r\nContent-Length: 2\r\n\r\nok"

    private static func upload(_ origin: ScriptedOrigin, _ path: String, lines: [String] = []) -> String {
      origin.absoluteRequest(path, method: "POST", lines: ["Transfer-Encoding: chunked"] + lines)
    }

    /// What an origin gets of an upload whose content is `content`.
    private static func received(_ origin: ScriptedOrigin, _ path: String, lines: [String] = [], content: String) -> String {
      (["POST \(path) HTTP/1.1", "Host: \(origin.authority)"] + lines + [
        "Content-Length: \(content.utf8.count)", "", content,
      ])
      .joined(separator: "\r\n")
    }

    /// Loops remember for themselves how old an origin is.
    private static let oneLoop = ["--threads", "1"]

    /// Tells the proxy how old the origin is. The client's connection ends with the origin's.
    private static func meet(_ origin: ScriptedOrigin, _ proxy: TapelineProcess) throws {
      #expect(try proxy.request(origin.absoluteRequest("/first")).receiveResponse().bodyText == "ok")
    }

    @Test("RFC 9112 6.3: An old origin's content ends with its connection")
    func contentUntilClose() throws {
      let body = patternedBytes(200_000)
      let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.0 200 OK\r\nServer: old\r\n\r\n"), .send(body), .close])
      let recording = try recording { proxy in
        for _ in 0..<2 {
          let response = try proxy.request(origin.absoluteRequest("/file")).receiveResponse()
          #expect(response.startLine == "HTTP/1.1 200 OK")
          #expect(response.values(of: "Connection") == ["close"])
          #expect(response.value(of: "Transfer-Encoding") == nil, "the close ends it, as it did there")
          #expect(response.value(of: "Date") != nil, "added where the origin has none")
          #expect(response.body == body)
        }
      }
      #expect(origin.connections.count == 2)
      #expect(recording.entries.map(\.responseBodySize) == [200_000, 200_000])
      #expect(recording.entries.allSatisfy { $0.response?["httpVersion"]?.string == "HTTP/1.0" })
    }

    @Test("RFC 9112 6.1: An origin known to speak HTTP/1.0 gets a chunked upload with its length")
    func uploadWithLength() throws {
      let origin = try ScriptedOrigin([.expectRequest, .send(Self.answer), .expectEnd])
      let recording = try recording(Self.oneLoop) { proxy in
        try Self.meet(origin, proxy)
        // It comes in pieces, with an extension, and its trailers have no place.
        let client = try proxy.request(Self.upload(origin, "/up", lines: ["Trailer: X-Sum"]) + "5;ext\r\nhello\r\n")
        #expect(origin.connections.count == 1, "nothing is sent before the length is known")
        try client.send("6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n")
        #expect(try client.receiveResponse(to: "POST").bodyText == "ok")
        // And so does the empty one.
        let empty = try proxy.request(Self.upload(origin, "/empty") + "0\r\n\r\n")
        #expect(try empty.receiveResponse(to: "POST").bodyText == "ok")
      }
      #expect(
        origin.connections.map(\.receivedText).dropFirst() == [
          Self.received(origin, "/up", lines: ["Trailer: X-Sum"], content: "hello world"),
          Self.received(origin, "/empty", content: ""),
        ])
      let entry = try recording.entry("/up")
      #expect(entry.requestBodySize == 11)
      #expect(entry.status == 200)
    }

    @Test("RFC 9110 15.5.12: A chunked upload of 1 MiB is held for an old origin, one more byte is 411")
    func bound() throws {
      let origin = try ScriptedOrigin([.expectRequest, .send(Self.answer), .expectEnd])
      let content = patternedBytes(1 << 20)
      let recording = try recording(Self.oneLoop) { proxy in
        try Self.meet(origin, proxy)
        let most = try proxy.request(Self.upload(origin, "/most") + "100000\r\n")
        try most.send(content)
        try most.send("\r\n0\r\n\r\n")
        #expect(try most.receiveResponse(to: "POST").bodyText == "ok")
        let client = try proxy.request(Self.upload(origin, "/more") + "100000\r\n")
        try client.send(content)
        try client.send("\r\n1\r\nx\r\n0\r\n\r\n")
        let refusal = try client.receiveResponse(to: "POST")
        #expect(refusal.startLine == "HTTP/1.1 411 Length Required")
        #expect(refusal.value(of: "Proxy-Status") == "tapeline; error=http_request_error")
        #expect(refusal.bodyText.contains("HTTP/1.0"))
        #expect(refusal.bodyText.contains("1048576"))
      }
      #expect(origin.connections.count == 2, "of what is too long, the origin hears nothing")
      #expect(origin.connections.last?.requests.first?.body == content)
      let entry = try recording.entry("/more")
      #expect(entry.error?["kind"]?.string == "length-required")
      #expect(entry.error?["origin"]?.string == "client")
      #expect(entry.tree["_localStatus"]?.integer == 411)
    }

    @Test("RFC 9110 10.1.1: A client that waits for 100 before an old origin is told so by the proxy")
    func expectation() throws {
      let origin = try ScriptedOrigin([.expectHead, .send(Self.answer), .expectEnd])
      let recording = try recording(Self.oneLoop) { proxy in
        try Self.meet(origin, proxy)
        let client = try proxy.request(Self.upload(origin, "/up", lines: ["Expect: 100-continue"]))
        #expect(try client.receiveHead().text == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send("2\r\nhi\r\n0\r\n\r\n")
        #expect(try client.receiveResponse(to: "POST").bodyText == "ok")
      }
      #expect(try recording.entry("/up").tree["_informational"] == nil, "the origin said no such thing")
    }

    @Test("RFC 9112 6.1: An origin that is not known gets the length of an upload that is here already, and else chunks")
    func unknownOrigin() throws {
      _ = try recording { proxy in
        let whole = try ScriptedOrigin([.expectRequest, .respond(body: "ok"), .expectEnd])
        let first = try proxy.request(Self.upload(whole, "/whole") + "5\r\nhello\r\n0\r\n\r\n")
        #expect(try first.receiveResponse(to: "POST").bodyText == "ok")
        #expect(whole.connections.first?.receivedText == Self.received(whole, "/whole", content: "hello"))

        let streamed = try ScriptedOrigin([
          .expectHead, .run { _ = try $0.receive(exactly: 10) }, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expect(bytes: 5),
          .respond(body: "ok"), .expectEnd,
        ])
        // The origin has the first chunk before the client sends the last one.
        let client = try proxy.request(Self.upload(streamed, "/streamed") + "5\r\nhello\r\n")
        #expect(try client.receiveHead().status == 100)
        try client.send("0\r\n\r\n")
        #expect(try client.receiveResponse(to: "POST").bodyText == "ok")
        #expect(
          streamed.connections.first?.receivedText
            == "POST /streamed HTTP/1.1\r\nHost: \(streamed.authority)\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\nhello\r\n0\r\n\r\n")
      }
    }

    @Test("RFC 9112 6.1: An origin known to speak HTTP/1.1 gets chunks, and the last response counts")
    func newerOrigin() throws {
      let origin = try ScriptedOrigin { number in
        [
          .expectRequest,
          .send(number == 1 ? Self.answer : "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"), .expectEnd,
        ]
      }
      _ = try recording(Self.oneLoop) { proxy in
        try Self.meet(origin, proxy)
        for path in ["/chunked", "/length", "/chunked"] {
          let client = try proxy.request(Self.upload(origin, path) + "2\r\nhi\r\n0\r\n\r\n")
          #expect(try client.receiveResponse(to: "POST").bodyText == "ok")
        }
      }
      let uploads = origin.requests.dropFirst()
      #expect(uploads.map { $0.value(of: "Transfer-Encoding") } == ["chunked", nil, "chunked"])
      #expect(uploads.map { $0.value(of: "Content-Length") } == [nil, "2", nil])
      #expect(uploads.allSatisfy { $0.bodyText == "hi" })
    }

    @Test("RFC 9112 6.1: A client that leaves while its upload is held leaves no trace at the origin")
    func clientLeaves() throws {
      let origin = try ScriptedOrigin([.expectRequest, .send(Self.answer), .expectEnd])
      let recording = try recording(Self.oneLoop) { proxy in
        try Self.meet(origin, proxy)
        let client = try proxy.request(Self.upload(origin, "/left") + "5\r\nhello\r\n")
        client.close()
        // By now the proxy has read what came before: it serves its connections in turn.
        let next = try proxy.request(origin.absoluteRequest("/next"))
        #expect(try next.receiveResponse().bodyText == "ok")
      }
      #expect(!origin.connections.contains { $0.receivedText.contains("/left") })
      #expect(try recording.entry("/left").error?["origin"]?.string == "client")
    }
  }
}
