import Dispatch
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineTransport

@Suite struct NetworkTransportTests {
  // MARK: Exchanges

  @Test func anExchangeTellsItsEventsInTheOrderOfTheWire() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"),
      .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n"), .expectEnd,
    ])
    let wire = try Wire()
    let outcome = try wire.run(.get(origin))
    #expect(
      outcome.events == [
        "informational 103", "head 200", "body abc", "trailers X-Sum: 9", "metrics", "complete nil",
      ])
    #expect(outcome.metrics.attempts == 1)
    #expect(outcome.metrics.connection?.address == "127.0.0.1")
    #expect(outcome.metrics.connection?.isReused == false)
  }

  @Test func theMarksOfAnAttemptAreOrdered() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let wire = try Wire()
    let marks = try wire.run(.get(origin)).metrics.marks
    let order: [TimelineMark] = [
      .queued, .connectStart, .connectEnd, .sentFirst, .sentLast, .responseFirstByte, .responseHeadEnd, .responseLastByte,
    ]
    let instants = try order.map { try #require(marks[$0], "\($0)") }
    #expect(instants == instants.sorted())
    #expect(marks[.dnsStart] == nil)
  }

  @Test func anInterimResponseIsNotTheFirstByte() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .delay(milliseconds: 60), .respond(body: "x"), .expectEnd,
    ])
    let wire = try Wire()
    let marks = try wire.run(.get(origin)).metrics.marks
    let sent = try #require(marks[.sentLast])
    #expect(try #require(marks[.responseFirstByte]).nanoseconds(since: sent) >= 55_000_000)
  }

  @Test func aCleanConnectionIsReused() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "again")])])
    let wire = try Wire()
    let first = try wire.run(.get(origin)).metrics
    let second = try wire.run(.get(origin)).metrics
    #expect(first.connection?.id == second.connection?.id)
    #expect(second.connection?.isReused == true)
    #expect(second.marks[.connectStart] == nil)
    #expect(origin.connections.count == 1)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
    // More than was asked for: the framing cannot be trusted.
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy",
  ])
  func anythingElseIsNot(response: String) throws {
    let origin = try ScriptedOrigin([.expectRequest, .send(response), .expectEnd])
    let wire = try Wire()
    #expect(try wire.run(.get(origin)).error == nil)
    _ = try wire.run(.get(origin))
    #expect(try origin.waitForConnections(2).count == 2)
  }

  @Test("RFC 9112 6.1: The process's own uploads have a length for a server of HTTP/1.0 too, or fail")
  func anUploadToAnOldServer() throws {
    let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"), .expectEnd])
    let wire = try Wire { $0.limits = HTTPLimits(heldContent: 100_000) }
    _ = try wire.run(.get(origin))
    let body = [UInt8](repeating: 97, count: 100_000)
    #expect(try wire.run(.post(origin, framing: .chunked), body: body).error == nil)
    #expect(origin.requests.last?.value(of: "Content-Length") == "100000")
    #expect(origin.requests.last?.body == body)
    let tooLong = try wire.run(.post(origin, framing: .chunked), body: body + [98])
    #expect(tooLong.error?.kind == .lengthRequired)
    #expect(origin.connections.count == 2)
  }

  @Test func anUploadIsSentInFull() throws {
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond()])])
    let wire = try Wire()
    _ = try wire.run(.post(origin, framing: .length(UInt64(body.count))), body: body)
    _ = try wire.run(.post(origin, framing: .chunked), body: body)
    #expect(origin.requests.map(\.body) == [body, body])
  }

  @Test("Bytes that nobody has asked for go up at once, except those that end a body")
  func bytesGoUpAtOnce() throws {
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let origin = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .expect(bytes: body.count), .respond(), .expectEnd,
    ])
    let wire = try Wire()
    let run = try wire.begin(.post(origin, framing: .length(UInt64(body.count))), isOpenEnded: true)
    try run.waitForEvent("informational 103")
    #expect(run.offer(Array(body[..<100_000])))
    #expect(run.offer(Array(body[100_000..<100_001])))
    #expect(!run.offer(Array(body[100_001...])), "the last piece waits for the end of its source")
    run.feed(Array(body[100_001...]), isLast: true)
    let outcome = try run.wait()
    #expect(outcome.error == nil)
    #expect(Array(try #require(origin.connections.first).received.suffix(body.count)) == body)
    #expect(outcome.metrics.bytes.requestBody == 300_000)
    #expect(outcome.metrics.marks[.sentLast] != nil)
  }

  @Test("Bytes are asked for where a body is framed in chunks, or bytes wait already")
  func bytesThatAreAskedFor() throws {
    let enough = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin { number in
      number == 0
        ? [.expectRequest, .respond(body: "known"), .expectHead, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .expectEnd]
        : [.expectHead, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .run { _ in enough.wait() }]
    }
    defer { enough.signal() }
    let wire = try Wire()
    _ = try wire.run(.get(origin))
    let chunked = try wire.begin(.post(origin, framing: .chunked), isOpenEnded: true)
    try chunked.waitForEvent("informational 103")
    #expect(!chunked.offer([1, 2, 3]))
    let full = try wire.begin(.post(origin, framing: .length(1 << 30)), isOpenEnded: true)
    try full.waitForEvent("informational 103")
    // The origin reads nothing: the kernel takes some, and then the connection has enough.
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    var sent = 0
    while full.offer(piece) { sent += 1 }
    #expect((1...64).contains(sent))
    for run in [chunked, full] { run.task.cancel() }
  }

  // MARK: Failures

  @Test("A body that is shorter than it promised to be ends the exchange, and is never made up for")
  func aShortBodyIsAnError() throws {
    let origin = try ScriptedOrigin([.expectHead, .expectEnd])
    let wire = try Wire()
    let outcome = try wire.run(.post(origin, framing: .length(5)), body: Array("abc".utf8))
    #expect(outcome.error == .shortBody(missing: 2))
  }

  @Test func aDeadReusedConnectionIsReplacedOnce() throws {
    // The first connection answers once, takes the second request and leaves without a word.
    let origin = try ScriptedOrigin { number in
      number == 0
        ? [.expectRequest, .respond(body: "one"), .expectRequest, .close] : [.expectRequest, .respond(body: "two"), .expectEnd]
    }
    let wire = try Wire()
    _ = try wire.run(.get(origin))
    let second = try wire.run(.get(origin))
    #expect(second.error == nil)
    #expect(second.metrics.attempts == 2)
    #expect(second.metrics.connection?.isReused == false)
    #expect(second.metrics.marks[.connectStart] != nil)
  }

  @Test func aRequestThatCannotBeReplayedIsNot() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "one"), .expectRequest, .close])
    let wire = try Wire()
    _ = try wire.run(.get(origin))
    let second = try wire.run(.post(origin, framing: .length(3)), body: Array("abc".utf8))
    #expect(second.error?.origin == .upstream)
    #expect(second.metrics.attempts == 1)
  }

  @Test func aFreshConnectionThatDiesIsAnError() throws {
    let origin = try ScriptedOrigin([.expectRequest, .close])
    let wire = try Wire()
    let outcome = try wire.run(.get(origin))
    #expect(outcome.error?.kind == .closed)
    #expect(outcome.error?.phase == .wait)
    #expect(outcome.events.suffix(2).first == "metrics")
  }

  @Test func aBodyThatBreaksOffIsAnError() throws {
    let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close])
    let wire = try Wire()
    let outcome = try wire.run(.get(origin))
    #expect(outcome.events.prefix(2) == ["head 200", "body half"])
    #expect(outcome.error?.kind == .closed)
    #expect(outcome.error?.phase == .receive)
  }

  @Test func aMalformedResponseIsAProtocolViolation() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"), .expectEnd,
    ])
    let wire = try Wire()
    #expect(try wire.run(.get(origin)).error?.kind == .protocolViolation)
  }

  @Test func aRefusedConnectionIsAnErrorOfThePhaseConnect() throws {
    let origin = try ScriptedOrigin([])
    origin.stop()
    let wire = try Wire()
    let outcome = try wire.run(.get(origin))
    #expect(outcome.error?.kind == .refused)
    #expect(outcome.error?.phase == .connect)
  }

  @Test func ourOwnListenerIsNeverReached() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let own = try #require(SocketAddress(literal: "127.0.0.1", port: origin.port))
    let wire = try Wire { $0.refusedPeers = [own] }
    #expect(try wire.run(.get(origin)).error?.kind == .loopDetected)
  }

  @Test func anOriginThatSaysNothingIsGivenUp() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    let wire = try Wire { $0.responseTimeout = .milliseconds(50) }
    let outcome = try wire.run(.get(origin))
    #expect(outcome.error?.kind == .timedOut)
    #expect(outcome.error?.phase == .wait)
  }

  @Test func cancellingEndsTheConnection() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    let wire = try Wire()
    let run = try wire.begin(.get(origin))
    _ = try origin.waitForRequests(1)
    run.task.cancel()
    let outcome = try run.wait()
    #expect(outcome.error?.kind == .cancelled)
    #expect(try origin.waitForFinished(1).first?.end != nil)
  }
}
