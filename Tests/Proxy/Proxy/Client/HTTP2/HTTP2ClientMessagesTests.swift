import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

/// Messages of clients that speak HTTP/2, toward origins that speak HTTP/1.
@Suite("Clients that speak HTTP/2: messages") struct HTTP2ClientMessagesTests {
  @Test("A request and its response change versions on the way (RFC 9113 8.3)") func request() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .respond(fields: ["Connection: keep-alive", "X-A: b"], body: "hello"), .expectEnd,
    ])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(
      origin.request("/a?b=c", [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2"), ("te", "trailers")]))
    let response = try client.response(to: stream)
    #expect(response.status == 200 && response.bodyText == "hello")
    #expect(response.values(of: "x-a") == ["b"] && response.values(of: "content-length") == ["5"])
    #expect(response.values(of: "connection").isEmpty && response.values(of: "date").count == 1)
    let sent = try #require(origin.requests.first)
    #expect(sent.startLine == "GET /a?b=c HTTP/1.1")
    #expect(sent.fields.first?.name == "Host" && sent.values(of: "host") == [origin.authority])
    #expect(sent.values(of: "cookie") == ["a=1; b=2"] && sent.values(of: "x") == ["y"])
    #expect(sent.value(of: "te") == "trailers" && sent.value(of: "connection") == "TE")

    let record = try #require(try proxy.records(1).first)
    #expect(record.request?.version == .http2 && record.request?.targetText == "\(origin.url("/a?b=c"))")
    #expect(record.http2?.clientStream == 1 && record.http2?.stream == nil && record.http2?.clientReset == nil)
    #expect(record.http2?.request?.texts.first?.name == ":method")
    #expect(record.failure == nil && record.responseBody.size == 5)
    #expect(record.marks[.requestHeadEnd] != nil && record.marks[.deliveredFirst] != nil && record.marks[.deliveredLast] != nil)
    let head = try #require(record.request)
    let changes = try #require(record.requestForwarding?.changes(of: head))
    #expect(
      changes.contains(.version(.http2, to: .http11)) && changes.contains(.rewritten(0, to: "a=1; b=2"))
        && changes.contains(.removed(2)))
    let answer = try #require(record.response)
    let back = try #require(record.responseForwarding?.changes(of: answer))
    #expect(back.contains(.version(.http11, to: .http2)) && back.contains { if case .removed = $0 { true } else { false } })
  }

  @Test("Content passes both ways, with and without a length, and trailers with it") func content() throws {
    let origin = try ScriptedOrigin([
      .expectRequest,
      .send(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 7\r\nHost: no\r\n\r\n"),
      .expectRequest, .respond(body: "second"), .expectEnd,
    ])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let first = try client.open(origin.request(method: "POST"), hasContent: true)
    try client.send(Array("some ".utf8), on: first)
    try client.send(Array("content".utf8), on: first)
    try client.end(first, trailers: [("x-check", "1")])
    let response = try client.response(to: first)
    #expect(response.bodyText == "abc")
    #expect(response.trailers?.list.texts.map(\.name) == ["x-sum"])
    let second = try client.open(origin.request(method: "PUT", [("content-length", "4")]), hasContent: true)
    try client.send(Array("four".utf8), on: second, isLast: true)
    #expect(try client.response(to: second).bodyText == "second")
    #expect(origin.requests.map(\.bodyText) == ["some content", "four"])
    #expect(origin.requests.last?.value(of: "content-length") == "4")
    let records = try proxy.records(2)
    #expect(records.map(\.requestBody.size) == [12, 4])
    #expect(records[0].requestTrailers?.count == 1 && records[0].responseTrailers?.count == 2)
  }

  @Test(
    "A response without content ends with its head", arguments: [("HEAD", "200 OK"), ("GET", "204 No Content"), ("GET", "304 X")])
  func noContent(method: String, status: String) throws {
    let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.1 \(status)\r\nETag: \"a\"\r\n\r\n"), .expectEnd])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let response = try client.response(to: try client.open(origin.request(method: method)))
    #expect(response.ended && response.body.isEmpty && response.values(of: "etag") == ["\"a\""])
    #expect(try proxy.records(1).first?.failure == nil)
  }

  @Test("Interim responses pass, 100 and 103 (RFC 9113 8.1)") func interim() throws {
    let origin = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"), .expect(bytes: 2),
      .respond(body: "ok"), .expectEnd,
    ])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(
      origin.request(method: "POST", [("content-length", "2"), ("expect", "100-continue")]), hasContent: true)
    try client.wait { $0.responses[stream]?.interim.count == 2 }
    #expect(client.responses[stream]?.interim.map(\.status) == [103, 100])
    #expect(client.responses[stream]?.interim.first?.fields.values(named: "link") == ["</a>"])
    try client.send(Array("go".utf8), on: stream, isLast: true)
    #expect(try client.response(to: stream).bodyText == "ok")
    #expect(try proxy.records(1).first?.informational.count == 2)
  }

  @Test("A hundred streams at once are a hundred exchanges of one connection") func manyStreams() throws {
    let origin = try ScriptedOrigin(scripts: { _ in
      [
        .forever([
          .answer { request in
            let line = request.startLine.split(separator: " ")[1]
            return Array("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)".utf8)
          }
        ])
      ]
    })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    try client.flush()
    var streams: [HTTP2StreamID: String] = [:]
    for number in 0..<100 { streams[try client.open(origin.request("/\(number)"))] = "/\(number)" }
    for (stream, path) in streams { #expect(try client.response(to: stream).bodyText == path) }
    let records = try proxy.records(100)
    #expect(Set(records.map(\.client.connectionID)).count == 1)
    #expect(Set(records.compactMap { $0.http2?.clientStream }) == Set(streams.keys))
    #expect(records.filter { !$0.client.isReused }.count == 1)
    try proxy.waitForActivity { $0.inFlight == 0 && $0.begun == 100 }
  }

  @Test("A reader that stops one stream holds up its origin, and no other stream (RFC 9113 5.2)") func slowReader() throws {
    let size = 16 << 20
    let origin = try ScriptedOrigin(scripts: { number in
      number > 0
        ? [.forever([.expectRequest, .respond(body: "quick")])]
        : [
          .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
          .run { connection in
            let piece = [UInt8](repeating: 7, count: 1 << 16)
            for _ in 0..<size / piece.count { try connection.send(piece) }
          }, .expectEnd,
        ]
    })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let slow = try client.open(origin.request("/slow"))
    client.stopped.insert(slow)
    try client.wait { $0.unconsumed(on: slow) >= 65_535 }
    for _ in 0..<5 { #expect(try client.response(to: try client.open(origin.request("/quick"))).bodyText == "quick") }
    let sent = try #require(origin.connections.first).sentPieces.map(\.count).reduce(0, +)
    #expect(sent < size, "the origin cannot send what nobody reads")
    try client.resumeReading(slow)
    #expect(try client.response(to: slow).body.count == size)
    #expect(try proxy.records(6).allSatisfy { $0.failure == nil })
  }

  @Test("A reader that goes on in small steps gets everything (RFC 9113 5.2)") func steps() throws {
    var limits = HTTP2Limits()
    limits.streamWindow = 65_535
    let window = limits.streamWindow
    // More than waits for a client, and together nearly what an origin may send before its reader goes on.
    let (first, second, rest) = (window + 140_000, 10_000, 1 << 20)
    let origin = try HTTP2Origin.start(nil) { peer, _ in
      let slow = try peer.nextRequest()
      try peer.sendHead(slow)
      try peer.send([UInt8](repeating: 1, count: first), on: slow)
      try peer.respond(try peer.nextRequest(), body: "first")
      let third = try peer.nextRequest()
      try peer.send([UInt8](repeating: 2, count: second), on: slow)
      try peer.respond(third, body: "second")
      try peer.respond(try peer.nextRequest(), body: "rest")
      try peer.send([UInt8](repeating: 3, count: rest), on: slow, isLast: true)
      try peer.waitForEnd()
    }
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = HTTP2Client(over: try proxy.tunnel(to: origin), limits: limits)
    func ask(_ path: String) throws -> String { try client.response(to: try client.open(origin.request(path))).bodyText }
    let slow = try client.open(origin.request("/slow"))
    client.stopped.insert(slow)
    func take(_ count: Int) throws {
      let whole = (client.responses[slow]?.body.count ?? 0) + count
      try client.consume(count, on: slow)
      try client.wait { $0.responses[slow]?.body.count == whole }
    }
    try client.wait { $0.responses[slow]?.body.count == window }
    #expect(try ask("/2") == "first")
    // What waits falls below the mark at which the origin is stopped, but not to that at which it goes on; then it grows.
    try take(window)
    try take(33_000)
    #expect(try ask("/3") == "second")
    try client.resumeReading(slow)
    try client.wait { $0.responses[slow]?.body.count == first + second }
    #expect(try ask("/4") == "rest")
    #expect(try client.response(to: slow).body.count == first + second + rest)
  }

  @Test("A client sends little more than its origin takes, in steps (RFC 9113 5.2)") func uploadInSteps() throws {
    var limits = HTTP2Limits()
    limits.streamWindow = 65_535
    let (window, steps, size) = (limits.streamWindow, 20, 6 << 20)
    let origin = try HTTP2Origin.start(nil, limits: limits) { peer, _ in
      let slow = try peer.nextRequest()
      peer.stopped.insert(slow)
      for step in 1...steps {
        let look = try peer.nextRequest()
        try peer.wait { peer.bodies[slow]?.count == step * window }
        try peer.consume(slow)
        peer.stopped.insert(slow)
        try peer.respond(look, body: "looked")
      }
      try peer.consume(slow)
      #expect(try peer.receiveBody(of: slow).count == size)
      try peer.respond(slow, body: "all")
      try peer.waitForEnd()
    }
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = HTTP2Client(over: try proxy.tunnel(to: origin))
    let slow = try client.open(origin.request(method: "POST", [("content-length", "\(size)")]), hasContent: true)
    try client.send([UInt8](repeating: 1, count: size), on: slow, isLast: true)
    for _ in 0..<steps {
      #expect(try client.response(to: try client.open(origin.request("/look"))).bodyText == "looked")
    }
    let sent = size - client.waitingBytes(on: slow)
    #expect(sent < (steps + 1) * window + (1 << 20), "\(sent) bytes were taken from the client")
    #expect(try client.response(to: slow).bodyText == "all")
  }

  @Test("An origin that does not read holds up the client's stream (RFC 9113 5.2)") func slowOrigin() throws {
    let size = 8 << 20
    let origin = try ScriptedOrigin(scripts: { number in
      number > 0
        ? [.forever([.expectRequest, .respond(body: "quick")])]
        : [
          .expectHead,
          .run { connection in
            // The first bytes only; the test says when to go on, by closing.
            _ = try connection.receive(exactly: 1)
          }, .expect(bytes: size - 1), .respond(body: "all"), .expectEnd,
        ]
    })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(origin.request(method: "POST", [("content-length", "\(size)")]), hasContent: true)
    try client.send([UInt8](repeating: 1, count: size), on: stream, isLast: true)
    #expect(try client.response(to: try client.open(origin.request("/quick"))).bodyText == "quick")
    #expect(try client.response(to: stream).bodyText == "all")
    #expect(try proxy.records(2).map(\.requestBody.size).max() == UInt64(size))
  }

  @Test("Our own answers are responses too") func localAnswers() throws {
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let authority = "127.0.0.1:\(proxy.port)"
    func ask(_ scheme: String, _ authority: String, _ path: String, method: String = "GET") throws -> HTTP2Client.Response {
      try client.response(
        to: try client.open([(":method", method), (":scheme", scheme), (":authority", authority), (":path", path)]))
    }
    let page = try ask("http", authority, "/")
    #expect(page.status == 200 && !page.body.isEmpty && page.values(of: "date").count == 1)
    #expect(try ask("http", authority, "/", method: "HEAD").body.isEmpty)
    #expect(try ask("ftp", "a.example", "/").status == 400)
    #expect(try ask("http", "127.0.0.1:1", "/").status == 502)
    #expect(try ask("http", authority, "/metrics").bodyText.contains("tapeline_"))
    let records = try proxy.records(5)
    #expect(records.allSatisfy { $0.http2?.clientStream != nil })
    #expect(records.map(\.localStatus) == [200, 200, 400, 502, 200])
  }

  @Test("Over TLS, the first stream pays for the tunnel and the handshakes") func overTLS() throws {
    let authorities = try Authorities.shared.get()
    let origin = try ScriptedOrigin(scripts: { _ in [authorities.echo()] })
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = try proxy.secureHTTP2(to: origin)
    let first = try client.response(to: try client.open(origin.request("/1", scheme: "https")))
    #expect(first.bodyText == "GET /1 HTTP/1.1")
    let second = try client.response(to: try client.open(origin.request("/2", scheme: "https")))
    #expect(second.bodyText == "GET /2 HTTP/1.1")
    let records = try proxy.records(2)
    #expect(records.map { $0.marks[.clientTLSEnd] != nil } == [true, false])
    #expect(records.map { $0.marks[.tunnelHeadEnd] != nil } == [true, false])
    #expect(records.allSatisfy { $0.clientTLS?.facts.applicationProtocol == "h2" && $0.implied?.scheme == .https })
    #expect(records.map(\.client.isReused) == [false, true])
    #expect(records.map { $0.http2?.clientStream } == [1, 3])
    #expect(records[1].server?.isReused == true)
  }

  @Test("A PRIORITY_UPDATE is recorded as it came (RFC 9218 7)") func priority() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(origin.request())
    try client.wait { $0.settings != nil }
    try client.updatePriority(of: stream, "u=1, i")
    _ = try origin.waitForRequests(1)
    try client.reset(stream)
    #expect(try proxy.records(1).first?.http2?.priorityUpdate == "u=1, i")
  }
}
