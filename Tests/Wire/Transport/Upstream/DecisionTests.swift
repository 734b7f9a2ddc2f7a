import TapelineHTTP
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineTransport

/// Tasks that perform several exchanges, for redirects and challenges: what may follow a response head.
@Suite struct DecisionTests {
  private static func answering(
    _ status: Int, with next: OutgoingRequest, redirected: Bool = true
  ) -> TaskRun.Answer {
    { task, head in
      guard head.status == status else { return .proceed }
      task.decide(.repeat(next, redirected: redirected))
      return .later
    }
  }

  @Test("A response gives way to another exchange, on the same connection")
  func repeats() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .respond("302 Found", fields: ["Location: /two"], body: "moved"), .expectRequest, .respond(body: "here"),
      .expectEnd,
    ])
    let wire = try Wire()
    let next = try OutgoingRequest.get(origin, path: "/two")
    let outcome = try wire.run(.get(origin), answer: Self.answering(302, with: next))
    #expect(outcome.events == ["head 302", "head 200", "body here", "metrics", "complete nil"])
    #expect(origin.connections.count == 1)
    #expect(origin.requests.map(\.target) == ["/", "/two"])
    #expect(outcome.metrics.attempts == 2)
    #expect(outcome.metrics.redirectCount == 1)
    let transactions = outcome.metrics.transactions
    #expect(transactions.map(\.statusCode) == [302, 200])
    #expect(transactions.map(\.isReusedConnection) == [false, true])
    #expect(transactions.map(\.responseBodyBytes) == [5, 4])
  }

  @Test("A decision may come later, and nothing of the response comes before it", arguments: [0, 3])
  func decidesLater(already: Int) throws {
    // Part of the body comes with the head, the rest behind it.
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n" + "abcdef".prefix(already)), .delay(milliseconds: 20),
      .send(String("abcdef".dropFirst(already))), .expectEnd,
    ])
    let wire = try Wire()
    let run = try wire.begin(.get(origin)) { _, _ in .later }
    #expect(try run.waitForEvent("head 200").received.isEmpty)
    run.decide(.proceed)
    let outcome = try run.wait()
    #expect(outcome.received == Array("abcdef".utf8))
    #expect(outcome.error == nil)
  }

  @Test(
    "A response without a body, or one that ends with the connection, survives a late decision",
    arguments: [
      "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nrest",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nrest\r\n0\r\n\r\n",
    ])
  func survivesLateDecision(response: String) throws {
    let origin = try ScriptedOrigin([.expectRequest, .send(response), .close])
    let wire = try Wire()
    let run = try wire.begin(.get(origin)) { _, _ in .later }
    _ = try origin.waitForFinished(1)
    run.decide(.proceed)
    let outcome = try run.wait()
    #expect(outcome.error == nil)
    #expect(String(decoding: outcome.received, as: UTF8.self) == (response.contains("204") ? "" : "rest"))
  }

  @Test("Resuming a task that waits for its decision delivers nothing ahead of it")
  func resumedWhileDeciding() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), .delay(milliseconds: 20), .send("abc"), .expectEnd,
    ])
    let wire = try Wire()
    let run = try wire.begin(.get(origin)) { _, _ in .later }
    try run.waitForEvent("head 200")
    run.task.suspend()
    run.task.resume()
    _ = try origin.waitForRequests(1)
    #expect(run.outcome.received.isEmpty)
    run.decide(.proceed)
    #expect(try run.wait().received == Array("abc".utf8))
  }

  @Test("A task may decide to end")
  func cancels() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "x"), .expectEnd])
    let wire = try Wire()
    let run = try wire.begin(.get(origin)) { _, _ in .later }
    try run.waitForEvent("head 200")
    run.decide(.cancel)
    #expect(try run.wait().error?.kind == .cancelled)
  }

  @Test("A task that waits for its decision can be cancelled, and what is decided then is nothing")
  func cancelledWhileDeciding() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "x"), .expectEnd])
    let wire = try Wire()
    let run = try wire.begin(.get(origin)) { _, _ in .later }
    try run.waitForEvent("head 200")
    run.task.cancel()
    run.decide(.proceed)
    let outcome = try run.wait()
    #expect(outcome.error?.kind == .cancelled)
    #expect(outcome.received.isEmpty)
  }

  @Test(
    "A response that is not worth reading costs its connection",
    arguments: [
      "HTTP/1.1 302 Found\r\nContent-Length: 10000000\r\n\r\n", "HTTP/1.1 302 Found\r\n\r\nuntil the end",
      "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
      "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n30000\r\n" + String(repeating: "x", count: 0x30000),
    ])
  func dropsConnection(first: String) throws {
    let origin = try ScriptedOrigin { number in
      number == 0 ? [.expectRequest, .send(first), .expectEnd] : [.expectRequest, .respond(body: "here"), .expectEnd]
    }
    let wire = try Wire()
    let outcome = try wire.run(.get(origin), answer: Self.answering(302, with: .get(origin, path: "/two")))
    #expect(outcome.received == Array("here".utf8))
    #expect(outcome.error == nil)
    #expect(origin.connections.count == 2)
    #expect(outcome.metrics.transactions.map(\.isReusedConnection) == [false, false])
  }

  @Test("A response that dribbles is not waited for")
  func givesUpDraining() throws {
    let origin = try ScriptedOrigin { number in
      number == 0
        ? [.expectRequest, .send("HTTP/1.1 302 Found\r\nContent-Length: 9\r\n\r\n1"), .expectEnd]
        : [.expectRequest, .respond(body: "here"), .expectEnd]
    }
    let wire = try Wire()
    let outcome = try wire.run(.get(origin), answer: Self.answering(302, with: .get(origin, path: "/two")))
    #expect(outcome.received == Array("here".utf8))
    #expect(origin.connections.count == 2)
  }

  @Test("An answer before the request was complete costs the connection, and the body begins anew")
  func earlyResponse() throws {
    let body = [UInt8](repeating: 7, count: 8_000_000)
    let origin = try ScriptedOrigin { number in
      number == 0
        ? [.expectHead, .respond("401 Unauthorized"), .expectEnd] : [.expectRequest, .respond(body: "thanks"), .expectEnd]
    }
    let wire = try Wire()
    let request = try OutgoingRequest.post(origin, framing: .length(UInt64(body.count)))
    let outcome = try wire.run(request, body: body, answer: Self.answering(401, with: request, redirected: false))
    #expect(outcome.received == Array("thanks".utf8))
    #expect(outcome.metrics.redirectCount == 0)
    #expect(origin.requests.map(\.body.count) == [body.count])
  }

  @Test("The next exchange may go to another origin, and the first connection stays for others")
  func changesOrigin() throws {
    let first = try ScriptedOrigin([.forever([.expectRequest, .respond("302 Found", body: "moved")])])
    let second = try ScriptedOrigin([.expectRequest, .respond(body: "here"), .expectEnd])
    let wire = try Wire()
    let outcome = try wire.run(.get(first), answer: Self.answering(302, with: .get(second)))
    #expect(outcome.received == Array("here".utf8))
    #expect(outcome.metrics.transactions.map(\.remotePort) == [first.port, second.port])
    #expect(try wire.run(.get(first)).metrics.connection?.isReused == true)
  }

  @Test("RFC 9112 9.3.1: the connection of a repeated exchange may be dead, which is found out once more")
  func deadConnectionAfterRepetition() throws {
    let origin = try ScriptedOrigin { number in
      number == 0
        ? [.expectRequest, .respond("302 Found"), .expectRequest, .close] : [.expectRequest, .respond(body: "here"), .expectEnd]
    }
    let wire = try Wire()
    let outcome = try wire.run(.get(origin), answer: Self.answering(302, with: .get(origin)))
    #expect(outcome.received == Array("here".utf8))
    #expect(outcome.metrics.attempts == 3)
    #expect(outcome.metrics.transactions.map(\.statusCode) == [302, nil, 200])
  }

  @Test("RFC 9110 7.8: an upgrade may be decided on later")
  func upgradesLater() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: test/1\r\nConnection: Upgrade\r\n\r\nearly"),
      .expectEnd,
    ])
    let wire = try Wire()
    let run = try wire.begin(.upgrade(origin)) { _, _ in .later }
    try run.waitForEvent("head 101")
    run.decide(.proceed)
    #expect(try run.waitForBytes(5) == Array("early".utf8))
    run.task.cancel()
    _ = try run.wait()
  }
}
