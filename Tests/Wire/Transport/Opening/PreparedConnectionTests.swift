import TapelineHTTP
import TapelineLoop
import TapelineTestSupport
import TapelineTime
import TapelineTransport
import Testing

/// A connection that one task opens and another one uses.
@Suite struct PreparedConnectionTests {
  @Test func anExchangeUsesTheConnectionThatAStreamOpened() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    let detached = try #require(wire.onLoop { _ in stream.task.detach() })
    let prepared = try #require(detached.connection)
    let opened = try stream.wait()
    #expect(opened.events == ["open", "metrics", "complete nil"])
    #expect(detached.metrics.connection?.id == opened.metrics.connection?.id)
    #expect(detached.metrics.marks[.connectEnd] == opened.metrics.marks[.connectEnd])

    let outcome = try wire.run(.get(origin, prepared: prepared))
    #expect(outcome.error == nil)
    #expect(outcome.metrics.connection?.id == opened.metrics.connection?.id)
    #expect(outcome.metrics.connection?.isReused == false)
    for mark in [TimelineMark.queued, .connectStart, .connectEnd] {
      #expect(outcome.metrics.marks[mark] == opened.metrics.marks[mark], "\(mark) is the stream's")
    }
    #expect(outcome.metrics.marks[.sentFirst] != nil)
    // From here on it is a connection like any other.
    #expect(try wire.run(.get(origin)).metrics.connection?.isReused == true)
    #expect(origin.connections.count == 1)
  }

  @Test("detach() completes nothing inside the call, and cancelling the stream afterwards leaves the connection alone")
  func theStreamEndsAfterTheCall() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "x"), .expectEnd])
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(
      wire.onLoop { transport in
        let detached = stream.task.detach()
        #expect(stream.task.state == .running)
        stream.task.cancel()
        return detached?.connection
      })
    #expect(try stream.wait().error?.kind == .cancelled)
    #expect(try wire.run(.get(origin, prepared: prepared)).received == Array("x".utf8))
  }

  @Test func itCarriesOneTaskOnly() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Connection: close"], body: "x")])])
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    #expect(try wire.run(.get(origin, prepared: prepared)).error == nil)
    #expect(wire.onLoop { _ in !prepared.isUsable })
    #expect(try wire.run(.get(origin, prepared: prepared)).error == nil)
    #expect(try origin.waitForConnections(2).count == 2)
  }

  @Test func aStreamThatHasMovedBytesKeepsItsConnection() throws {
    let origin = try ScriptedOrigin([.send("hello"), .expectEnd])
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    _ = try stream.waitForBytes(5)
    #expect(wire.onLoop { _ in stream.task.detach() == nil })
    stream.task.cancel()
    #expect(try stream.wait().error?.kind == .cancelled)
  }

  @Test func bytesOnTheirWayKeepTheConnectionToo() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    #expect(
      wire.onLoop { transport in
        _ = stream.task.send(Array("x".utf8).span)
        return stream.task.detach() == nil
      })
    stream.task.cancel()
    _ = try stream.wait()
  }

  @Test func anOriginThatClosesMeanwhileIsConnectedToAnew() throws {
    let origin = try ScriptedOrigin { number in
      number == 0 ? [.close] : [.expectRequest, .respond(body: "second"), .expectEnd]
    }
    let wire = try Wire()
    let stream = wire.start(origin.route)
    // The origin may have closed before the stream was detached: then there is nothing to prepare.
    try stream.waitForEvent("open")
    let prepared = wire.onLoop { _ in stream.task.detach()?.connection }
    _ = try origin.waitForFinished(1)
    let outcome = try wire.run(.get(origin, prepared: prepared))
    #expect(outcome.error == nil)
    #expect(outcome.received == Array("second".utf8))
    stream.task.cancel()
  }

  @Test func anOriginThatSpeaksFirstIsNotTrusted() throws {
    let origin = try ScriptedOrigin { number in
      number == 0
        ? [.delay(milliseconds: 50), .send("220 ready\r\n"), .expectEnd] : [.expectRequest, .respond(body: "x"), .expectEnd]
    }
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    _ = try origin.waitForFinished(1)
    #expect(wire.onLoop { _ in !prepared.isUsable })
    #expect(try wire.run(.get(origin, prepared: prepared)).received == Array("x".utf8))
  }

  @Test func droppingItClosesTheConnection() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    var prepared = wire.onLoop { _ in stream.task.detach()?.connection }
    #expect(prepared != nil)
    prepared = nil
    #expect(try origin.waitForFinished(1).first?.end == .closed)
  }

  @Test func closingItClosesTheConnection() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    wire.onLoop { _ in prepared.close() }
    #expect(wire.onLoop { _ in !prepared.isUsable })
    #expect(try origin.waitForFinished(1).first?.end == .closed)
  }

  @Test func itDoesNotWaitForEver() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let wire = try Wire { $0.idleTimeout = .milliseconds(50) }
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    #expect(try origin.waitForFinished(1).first?.end == .closed)
    #expect(wire.onLoop { _ in !prepared.isUsable })
  }

  @Test func itMayBecomeAStreamAgain() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 4), .send("pong"), .halfClose, .expectEnd])
    let wire = try Wire()
    let first = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in first.task.detach()?.connection })
    let second = try wire.open(origin.route, on: prepared)
    second.send("ping")
    #expect(try second.waitForBytes(4) == Array("pong".utf8))
    second.finishSending()
    #expect(try second.wait().error == nil)
    #expect(origin.connections.count == 1)
  }

  @Test func aTaskOnAPreparedConnectionThatDiesIsTriedAgain() throws {
    let origin = try ScriptedOrigin { number in
      number == 0 ? [.expectRequest, .close] : [.expectRequest, .respond(body: "second"), .expectEnd]
    }
    let wire = try Wire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    let outcome = try wire.run(.get(origin, prepared: prepared))
    #expect(outcome.received == Array("second".utf8))
    #expect(outcome.metrics.attempts == 2)
  }
}
