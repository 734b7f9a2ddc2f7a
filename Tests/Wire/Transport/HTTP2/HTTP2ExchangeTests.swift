import Dispatch
import TapelineHTTP
import TapelineHTTP2
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineTransport

/// Exchanges with origins that speak HTTP/2.
@Suite("Exchanges in HTTP/2")
struct HTTP2ExchangeTests {
  let scene: HTTP2Scene

  init() throws {
    scene = try HTTP2Scene()
  }

  @Test("A response is told like one of HTTP/1, and its marks are in order")
  func responds() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.sendInterim(103, [("link", "</a>")], on: stream)
      try peer.sendHead(stream, 200, [("content-type", "text/plain")])
      try peer.send("abc", on: stream)
      try peer.end(stream, trailers: [("x-sum", "9")])
      try peer.waitForEnd()
    }
    let outcome = try scene.wire().run(.over(origin))
    #expect(
      outcome.events == [
        "informational 103", "head 200", "body abc", "trailers x-sum: 9", "metrics", "complete nil",
      ])
    let metrics = outcome.metrics
    let order: [TimelineMark] = [
      .queued, .connectStart, .connectEnd, .tlsStart, .tlsEnd, .sentFirst, .sentLast, .responseFirstByte, .responseHeadEnd,
      .responseLastByte,
    ]
    let instants = try order.map { try #require(metrics.marks[$0], "\($0)") }
    #expect(instants == instants.sorted())
    #expect(metrics.stream == StreamMetrics(id: 1))
    #expect(metrics.tls?.applicationProtocol == .http2)
    #expect(metrics.connection?.isReused == false)
    #expect(metrics.status == 200)
    #expect(metrics.bytes.responseBody == 3)
    #expect(metrics.bytes.requestHead > 0 && metrics.bytes.responseHead > 0)
    // Each frame has a header of nine bytes.
    #expect(metrics.bytesSent == metrics.bytes.requestHead + 9)
    #expect(metrics.bytesReceived > metrics.bytes.responseHead + 3)
    #expect(metrics.transactions.map(\.networkProtocolName) == ["h2"])
  }

  @Test("Only the first stream of a connection has its opening; the others say that it was reused")
  func reuses() throws {
    let origin = try scene.echo()
    let wire = try scene.wire()
    let first = try wire.run(.over(origin, "/1"))
    let second = try wire.run(.over(origin, "/2"))
    #expect(second.received == Array("/2".utf8))
    #expect(second.metrics.connection?.id == first.metrics.connection?.id)
    #expect(second.metrics.connection?.isReused == true)
    #expect(second.metrics.stream?.id == 3)
    #expect(second.metrics.marks[.connectStart] == nil && second.metrics.marks[.tlsStart] == nil)
    #expect(second.metrics.tls == first.metrics.tls)
    #expect(origin.connections.count == 1)
  }

  @Test("A client's own lines go out as they came, and nothing has changed")
  func passesLines() throws {
    let lines = [
      (":method", "GET"), (":path", "/a?b"), (":authority", "example.test"), (":scheme", "https"), ("cookie", "a=1"),
      ("cookie", "b=2"), ("x-empty", ""),
    ]
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      #expect(peer.requests[stream]?.lines == lines.map { "\($0.0): \($0.1)" })
      try peer.respond(stream)
      try peer.waitForEnd()
    }
    let request = try OutgoingRequest.over(origin, lines: lines)
    let outcome = try scene.wire().run(request)
    #expect(outcome.error == nil)
    #expect(outcome.metrics.forwarding?.changes(of: request.head) == [])
  }

  @Test("We name ourselves only where we are told to")
  func namesItself() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      #expect(peer.requests[stream]?.lines.last?.hasPrefix("via: 2.0 tapeline-") == true)
      try peer.respond(stream)
      try peer.waitForEnd()
    }
    let lines = [(":method", "GET"), (":scheme", "https"), (":authority", "example.test"), (":path", "/")]
    let request = try OutgoingRequest.over(origin, lines: lines)
    let outcome = try scene.wire { $0.namesItself = true }.run(request)
    #expect(outcome.error == nil)
    #expect(outcome.metrics.forwarding?.changes(of: request.head).count == 1)
  }

  @Test("The lines of a client that speaks HTTP/1 become those of HTTP/2, and the changes are known (RFC 9113 8.2.2)")
  func translatesLines() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      #expect(
        peer.requests[stream]?.lines == [
          ":method: GET", ":scheme: https", ":authority: example.test", ":path: /x", "accept: */*",
        ])
      try peer.respond(stream)
      try peer.waitForEnd()
    }
    let head = try RequestHead(
      method: .get, target: "/x", fields: ["Host": "example.test", "Accept": "*/*", "Connection": "keep-alive"])
    let connections = PairedConnections()
    connections.handshake = ClientHandshake(lineage: 1, resumed: nil, applicationProtocols: [.http2, .http11])
    let request = OutgoingRequest(head: head, framing: .none, route: origin.secureRoute(), connections: connections)
    let outcome = try scene.wire().run(request)
    #expect(outcome.error == nil)
    #expect(
      outcome.metrics.forwarding?.changes(of: head) == [.version(.http11, to: .http2), .removed(2)])
  }

  @Test("Our own request names its host and its length")
  func originates() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      #expect(peer.requests[stream]?.authority == "other.test")
      #expect(peer.requests[stream]?.contentLength == 3)
      #expect(try peer.receiveBody(of: stream) == Array("abc".utf8))
      try peer.respond(stream)
      try peer.waitForEnd()
    }
    let outcome = try scene.wire().run(
      .over(origin, method: .post, fields: ["Host": "other.test"], framing: .length(3)), body: Array("abc".utf8))
    #expect(outcome.error == nil)
    #expect(outcome.metrics.bytes.requestBody == 3)
  }

  @Test("An upload beyond the windows arrives whole, and its stalls are counted", arguments: [true, false])
  func uploads(hasLength: Bool) throws {
    let body = patternedBytes(700_000)
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      peer.stopped.insert(stream)
      try peer.wait { (peer.bodies[stream]?.count ?? 0) >= 256 * 1024 }
      peer.rest(milliseconds: 20)
      try peer.consume(stream)
      #expect(try peer.receiveBody(of: stream) == body)
      try peer.respond(stream, body: "thanks")
      try peer.waitForEnd()
    }
    let outcome = try scene.wire().run(
      .over(origin, method: .post, framing: hasLength ? .length(UInt64(body.count)) : .chunked), body: body)
    #expect(outcome.received == Array("thanks".utf8))
    #expect(outcome.metrics.bytes.requestBody == UInt64(body.count))
    let stream = try #require(outcome.metrics.stream)
    #expect(stream.sendStalls > 0)
    #expect(stream.sendStalled >= .milliseconds(20))
    #expect(stream.reset == nil)
  }

  @Test("Trailers of the request follow its content")
  func sendsTrailers() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      #expect(try peer.receiveBody(of: stream) == Array("abc".utf8))
      #expect(peer.trailers[stream]?.fields.values(named: "x-sum") == ["9"])
      try peer.respond(stream)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin, method: .post, framing: .chunked), isOpenEnded: true)
    run.feed(Array("abc".utf8), isLast: true, trailers: ["X-Sum": "9"])
    #expect(try run.wait().error == nil)
  }

  @Test("Both directions go on at the same time: a response may begin, and be read, before the request ends")
  func bothDirections() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.sendHead(stream)
      for round in 1...3 {
        try peer.wait { peer.bodies[stream]?.count == round }
        try peer.send("\(round)", on: stream)
      }
      try peer.receiveBody(of: stream)
      try peer.end(stream)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin, method: .post, framing: .chunked), isOpenEnded: true)
    try run.waitForEvent("head 200")
    for round in 1...3 {
      run.feed(Array("x".utf8))
      #expect(try run.waitForBytes(round).count == round)
    }
    run.feed([], isLast: true)
    let outcome = try run.wait()
    #expect(outcome.error == nil)
    #expect(outcome.received == Array("123".utf8))
  }

  @Test("After an early response the rest of a client's request follows, unless the origin says that it is not wanted")
  func goesOnAfterTheEnd() throws {
    let origin = try scene.origin { peer, _ in
      let wanted = try peer.nextRequest()
      try peer.respond(wanted, body: "ok")
      #expect(try peer.receiveBody(of: wanted) == Array("the rest".utf8))
      let unwanted = try peer.nextRequest()
      try peer.respond(unwanted, 413, body: "no")
      try peer.reset(unwanted, .noError)
      try peer.waitForEnd()
    }
    let (wire, connections) = (try scene.wire(), PairedConnections())
    let first = try wire.begin(
      .over(origin, method: .post, framing: .chunked, sender: .client, connections: connections), isOpenEnded: true)
    try first.waitForEvent("end of response")
    first.feed(Array("the rest".utf8), isLast: true)
    let whole = try first.wait()
    #expect(whole.error == nil && whole.metrics.bytes.requestBody == 8 && whole.metrics.stream?.reset == nil)
    let second = try wire.begin(
      .over(origin, method: .post, framing: .chunked, sender: .client, connections: connections), isOpenEnded: true)
    let cut = try second.wait()
    #expect(cut.error == nil && cut.received == Array("no".utf8))
    #expect(cut.metrics.stream?.reset == StreamMetrics.Reset(code: .noError, who: .origin))
    wire.onLoop { _ in connections.close() }
  }

  @Test("A response that ends before its request is complete, and the stream ends (RFC 9113 8.1)")
  func endsEarly() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.respond(stream, 413, body: "no")
      try peer.wait { peer.resets[stream] != nil }
      let next = try peer.nextRequest()
      try peer.respond(next, body: "yes")
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin, method: .post, framing: .chunked), isOpenEnded: true)
    let outcome = try run.wait()
    #expect(outcome.error == nil && outcome.received == Array("no".utf8))
    #expect(try wire.run(.over(origin)).received == Array("yes".utf8))
    #expect(origin.connections.count == 1)
  }

  @Test("A hundred requests at once share a connection, and each gets its own answer")
  func hundred() throws {
    let origin = try scene.origin { peer, _ in
      var streams: [HTTP2StreamID] = []
      for _ in 0..<100 { streams.append(try peer.nextRequest()) }
      for stream in streams.reversed() {
        try peer.respond(stream, body: String(decoding: peer.requests[stream]?.path ?? [], as: UTF8.self))
      }
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let runs = wire.begin(together: try (0..<100).map { try .over(origin, "/\($0)") })
    for (number, run) in runs.enumerated() {
      let outcome = try run.wait()
      #expect(outcome.received == Array("/\(number)".utf8))
      #expect(outcome.metrics.connection?.isReused == (number > 0))
    }
    #expect(origin.connections.count == 1)
  }

  @Test("Requests beyond the origin's limit wait in order")
  func waitsForSlot() throws {
    var limits = HTTP2Limits()
    limits.concurrentStreams = 2
    let origin = try scene.origin(limits: limits) { peer, _ in
      let warmUp = try peer.nextRequest()
      try peer.respond(warmUp)
      for round in 0..<3 {
        let two = [try peer.nextRequest(), try peer.nextRequest()]
        #expect(
          two.map { String(decoding: peer.requests[$0]?.path ?? [], as: UTF8.self) } == ["/\(round * 2)", "/\(round * 2 + 1)"])
        for stream in two { try peer.respond(stream, body: "x") }
      }
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    _ = try wire.run(.over(origin))
    let runs = wire.begin(together: try (0..<6).map { try .over(origin, "/\($0)") })
    for run in runs { #expect(try run.wait().error == nil) }
    #expect(origin.connections.count == 1)
  }

  @Test("A reader that stops holds up its own stream alone, and no more than its window is read")
  func slowReader() throws {
    let size = 2_000_000
    let origin = try scene.origin { peer, _ in
      let slow = try peer.nextRequest()
      try peer.sendHead(slow)
      try peer.send(patternedBytes(size), on: slow, isLast: true)
      for _ in 0..<5 {
        let stream = try peer.nextRequest()
        // What the slow stream has sent stays within its window.
        #expect(peer.waitingBytes(on: slow) >= size - 256 * 1024 - 64 * 1024)
        try peer.respond(stream, body: "fast")
      }
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let slow = try wire.begin(.over(origin, "/slow"))
    slow.pause()
    try slow.waitForEvent("head 200")
    _ = try slow.waitForBytes(1)
    for _ in 0..<5 { #expect(try wire.run(.over(origin, "/fast")).received == Array("fast".utf8)) }
    #expect(slow.outcome.received.count <= 256 * 1024 + 64 * 1024)
    slow.resume()
    let outcome = try slow.wait()
    #expect(outcome.received == patternedBytes(size))
    #expect(origin.connections.count == 1)
  }

  @Test("A stopped reader's time is counted once it has left no window")
  func countsReceiveStalls() throws {
    let size = 400_000
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.sendHead(stream)
      try peer.send(patternedBytes(size), on: stream, isLast: true)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin))
    run.pause()
    _ = try run.waitForBytes(256 * 1024)
    run.resume()
    let outcome = try run.wait()
    #expect(outcome.received.count == size)
    #expect(try #require(outcome.metrics.stream).receiveStalled > .zero)
  }

  @Test("A response is held until its task decides, with what came after its head", arguments: [true, false])
  func decidesLater(comesWhole: Bool) throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.sendHead(stream)
      try peer.send("abc", on: stream)
      if comesWhole { try peer.end(stream, trailers: [("x-sum", "9")]) }
      let other = try peer.nextRequest()
      try peer.respond(other)
      if !comesWhole { try peer.end(stream, trailers: [("x-sum", "9")]) }
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin)) { _, _ in .later }
    try run.waitForEvent("head 200")
    #expect(try wire.run(.over(origin)).error == nil)
    #expect(run.outcome.events == ["head 200"])
    run.decide(.proceed)
    #expect(
      try run.wait().events == ["head 200", "body abc", "trailers x-sum: 9", "metrics", "complete nil"])
  }

  @Test("A response gives way to another exchange on the same connection")
  func repeats() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.respond(stream, 302, body: "moved")
      let next = try peer.nextRequest()
      try peer.respond(next, body: "here")
      #expect(peer.resets.isEmpty)
      try peer.waitForEnd()
    }
    let next = try OutgoingRequest.over(origin, "/two")
    let outcome = try scene.wire().run(.over(origin)) { task, head in
      guard head.status == 302 else { return .proceed }
      task.decide(.repeat(next, redirected: true))
      return .later
    }
    #expect(outcome.events == ["head 302", "head 200", "body here", "metrics", "complete nil"])
    #expect(outcome.metrics.attempts == 2 && outcome.metrics.redirectCount == 1)
    #expect(origin.connections.count == 1)
  }

  @Test("An extended CONNECT becomes a stream of bytes, with its ends (RFC 8441 5)")
  func extendedConnect() throws {
    let origin = try scene.origin(offersExtendedConnect: true) { peer, _ in
      let stream = try peer.nextRequest()
      #expect(peer.requests[stream]?.protocol == "websocket")
      try peer.sendHead(stream)
      try peer.wait { peer.bodies[stream] == Array("ping".utf8) }
      try peer.send("pong", on: stream)
      try peer.receiveBody(of: stream)
      try peer.end(stream)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin, lines: Self.webSocket))
    try run.waitForEvent("upgrade")
    run.send("ping")
    #expect(try run.waitForBytes(4) == Array("pong".utf8))
    run.finishSending()
    let outcome = try run.wait()
    #expect(outcome.events == ["head 200", "upgrade", "body pong", "end", "metrics", "complete nil"])
  }

  @Test("A sender that was told to pause, and adds a little, hears when it can send more")
  func pausedSender() throws {
    var limits = HTTP2Limits()
    limits.streamWindow = 65_535
    let window = limits.streamWindow
    let hasAdded = DispatchSemaphore(value: 0)
    let origin = try scene.origin(limits: limits, offersExtendedConnect: true) { peer, _ in
      let stream = try peer.nextRequest()
      try peer.sendHead(stream)
      peer.stopped.insert(stream)
      try peer.wait { peer.bodies[stream]?.count == window }
      try peer.consume(stream)
      peer.stopped.insert(stream)
      try peer.wait { peer.bodies[stream]?.count == 2 * window }
      try peer.send("go", on: stream)
      hasAdded.wait()
      try peer.consume(stream)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin, lines: Self.webSocket))
    try run.waitForEvent("upgrade")
    #expect(run.send(String(repeating: "a", count: 2 * window + 4_000)) == .pause)
    _ = try run.waitForBytes(2)
    #expect(run.send("more") == .pause)
    hasAdded.signal()
    try run.waitForEvent("can send more")
    run.cancel(.cancel)
  }

  @Test("A PRIORITY_UPDATE reaches the origin (RFC 9218 7.1)")
  func priorityUpdate() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.sendInterim(103, on: stream)
      try peer.wait { peer.priorities[stream] == "u=1, i" }
      try peer.respond(stream)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin))
    try run.waitForEvent("informational 103")
    run.updatePriority("u=1, i")
    #expect(try run.wait().error == nil)
  }

  @Test("An extended CONNECT fails where the origin does not offer it (RFC 8441 3)")
  func extendedConnectNotOffered() throws {
    let origin = try scene.echo()
    let outcome = try scene.wire().run(.over(origin, lines: Self.webSocket))
    #expect(outcome.error == .extendedConnectNotOffered)
  }

  @Test("A client that speaks HTTP/2 in clear is followed (RFC 9113 3.3)")
  func inClear() throws {
    let origin = try HTTP2Origin.start(nil) { peer, _ in try HTTP2Scene.echo(peer) }
    let wire = try scene.wire()
    let lines = [(":method", "GET"), (":scheme", "http"), (":authority", "example.test"), (":path", "/clear")]
    let first = try wire.run(.over(origin, lines: lines, isSecure: false))
    #expect(first.received == Array("/clear".utf8))
    #expect(first.metrics.transactions.first?.networkProtocolName == "h2c")
    #expect(try wire.run(.over(origin, lines: lines, isSecure: false)).metrics.stream?.id == 3)
  }

  @Test("An origin that does not speak HTTP/2 in clear is spoken to in HTTP/1.1")
  func notInClear() throws {
    let origin = try ScriptedOrigin { connection in
      connection == 0
        ? [.expect(bytes: 24), .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .expectEnd]
        : [.expectRequest, .respond(body: "old"), .expectEnd]
    }
    let lines = [(":method", "GET"), (":scheme", "http"), (":authority", "example.test"), (":path", "/")]
    let outcome = try scene.wire().run(.over(origin, lines: lines, isSecure: false))
    #expect(outcome.received == Array("old".utf8))
    #expect(outcome.metrics.attempts == 2)
  }

  private static let webSocket = [
    (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":authority", "example.test"), (":path", "/chat"),
  ]
}
