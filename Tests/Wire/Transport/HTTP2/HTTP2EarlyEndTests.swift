import TapelineHTTP
import TapelineHTTP2
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import TapelineTransport

/// Streams and connections that end before their messages do: what is tried again, and what a failure says.
@Suite("Early ends in HTTP/2")
struct HTTP2EarlyEndTests {
  let scene: HTTP2Scene

  init() throws {
    scene = try HTTP2Scene()
  }

  @Test("A refused stream is opened again on a new connection, with its content (RFC 9113 8.7)")
  func refusedStream() throws {
    let origin = try scene.origin { peer, connection in
      if connection == 0 {
        let first = try peer.nextRequest()
        try peer.respond(first)
        let second = try peer.nextRequest()
        try peer.wait { peer.bodies[second]?.count == 3 }
        try peer.reset(second, .refusedStream)
        try peer.waitForEnd()
      } else {
        let stream = try peer.nextRequest()
        #expect(try peer.receiveBody(of: stream) == Array("abc".utf8))
        try peer.respond(stream, body: "again")
        try peer.waitForEnd()
      }
    }
    let wire = try scene.wire()
    #expect(try wire.run(.over(origin)).error == nil)
    let outcome = try wire.run(.over(origin, method: .post, framing: .length(3)), body: Array("abc".utf8))
    #expect(outcome.received == Array("again".utf8))
    #expect(outcome.metrics.attempts == 2)
    #expect(outcome.metrics.connection?.isReused == false)
    #expect(outcome.metrics.bytes.requestBody == 3)
  }

  @Test("An origin that refuses everything is asked three times")
  func refusesAll() throws {
    let origin = try scene.origin { peer, _ in
      while true { try peer.reset(try peer.nextRequest(), .refusedStream) }
    }
    let outcome = try scene.wire().run(.over(origin))
    #expect(outcome.error?.kind == .streamReset(.refusedStream))
    #expect(outcome.metrics.attempts == 3)
    #expect(outcome.metrics.stream?.reset == StreamMetrics.Reset(code: .refusedStream, who: .origin))
  }

  @Test("Streams above the last one of a GOAWAY are opened on a new connection; those below go on (RFC 9113 6.8)")
  func goAway() throws {
    let origin = try scene.origin { peer, connection in
      if connection == 0 {
        let first = try peer.nextRequest()
        _ = try peer.nextRequest()
        // Only the first was processed.
        try peer.sendFrame(type: 7, on: 0, [0, 0, 0, UInt8(first), 0, 0, 0, 0])
        try peer.respond(first, body: "one")
        try peer.waitForEnd()
      } else {
        let stream = try peer.nextRequest()
        try peer.respond(stream, body: "two")
        try peer.waitForEnd()
      }
    }
    let wire = try scene.wire()
    let runs = wire.begin(together: try (0..<2).map { try .over(origin, "/\($0)") })
    let first = try runs[0].wait()
    #expect(first.received == Array("one".utf8) && first.metrics.attempts == 1)
    let second = try runs[1].wait()
    #expect(second.received == Array("two".utf8) && second.metrics.attempts == 2)
  }

  @Test("A request that an origin wants in HTTP/1.1 is made in HTTP/1.1")
  func http11Required() throws {
    let origin = try scene.origin(choosing: [.http2, .http11]) { peer, connection in
      if connection == 0 {
        try peer.reset(try peer.nextRequest(), .http11Required)
        try peer.waitForEnd()
      } else {
        #expect(peer.applicationProtocol == .http11)
        _ = try peer.receiveHead()
        try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold")
        try peer.waitForEnd()
      }
    }
    let outcome = try scene.wire().run(.over(origin))
    #expect(outcome.received == Array("old".utf8))
    #expect(outcome.metrics.attempts == 2 && outcome.metrics.stream == nil)
  }

  @Test("A reset fails the task with its code and its phase", arguments: [true, false])
  func reset(afterHead: Bool) throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      if afterHead {
        try peer.sendHead(stream)
        try peer.send("abc", on: stream)
      }
      try peer.reset(stream, .internalError)
      let other = try peer.nextRequest()
      try peer.respond(other)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let outcome = try wire.run(.over(origin))
    #expect(outcome.error?.kind == .streamReset(.internalError))
    #expect(outcome.error?.phase == (afterHead ? .receive : .wait))
    #expect(outcome.error?.message.contains("INTERNAL_ERROR") == true)
    #expect(outcome.metrics.stream?.reset == StreamMetrics.Reset(code: .internalError, who: .origin))
    #expect(outcome.metrics.attempts == 1)
    #expect(try wire.run(.over(origin)).error == nil)
    #expect(origin.connections.count == 1)
  }

  @Test("A cancelled task resets its stream with its code, and leaves the connection to others")
  func cancels() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.sendHead(stream)
      try peer.wait { peer.resets[stream] == .internalError }
      let other = try peer.nextRequest()
      try peer.respond(other, body: "other")
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let run = try wire.begin(.over(origin))
    try run.waitForEvent("head 200")
    run.cancel(.internalError)
    let outcome = try run.wait()
    #expect(outcome.error?.kind == .cancelled)
    #expect(outcome.metrics.stream?.reset == StreamMetrics.Reset(code: .internalError, who: .client))
    #expect(try wire.run(.over(origin)).received == Array("other".utf8))
    #expect(origin.connections.count == 1)
  }

  @Test("An origin that breaks a rule of its stream fails that task, and the failure names the rule")
  func refusesResponse() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      // `:status: 200` from the static table, and a name with a capital, as a literal (RFC 7541 6).
      try peer.sendFrame(type: 1, flags: 4, on: stream, [0x88, 0x00, 0x01, UInt8(ascii: "X"), 0x01, UInt8(ascii: "y")])
      let other = try peer.nextRequest()
      try peer.respond(other)
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let outcome = try wire.run(.over(origin))
    #expect(outcome.error?.kind == .protocolViolation)
    #expect(outcome.error?.message.contains("uppercase-field-name") == true)
    #expect(outcome.metrics.stream?.reset == StreamMetrics.Reset(code: .protocolError, who: .local))
    #expect(try wire.run(.over(origin)).error == nil)
    #expect(origin.connections.count == 1)
  }

  @Test("Content beyond the announced length fails the task")
  func wrongLength() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.respond(stream, 200, [("content-length", "2")], body: "abc")
      try peer.waitForEnd()
    }
    let outcome = try scene.wire().run(.over(origin))
    #expect(outcome.error?.kind == .protocolViolation)
    #expect(outcome.error?.message.contains("content-length-differs-from-data") == true)
    #expect(outcome.metrics.stream?.reset == StreamMetrics.Reset(code: .protocolError, who: .local))
  }

  @Test("An origin that breaks a rule of the connection fails all its tasks")
  func failsConnection() throws {
    let origin = try scene.origin { peer, _ in
      _ = try peer.nextRequest()
      _ = try peer.nextRequest()
      // A WINDOW_UPDATE of zero for the connection (RFC 9113 6.9).
      try peer.sendFrame(type: 8, on: 0, [0, 0, 0, 0])
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let runs = wire.begin(together: try (0..<2).map { try .over(origin, "/\($0)") })
    for run in runs {
      let outcome = try run.wait()
      #expect(outcome.error?.kind == .protocolViolation)
      #expect(outcome.metrics.stream?.reset?.who == .local)
    }
    _ = try origin.waitForFinished(1)
  }

  @Test("An origin that closes under its streams fails them")
  func closes() throws {
    let origin = try scene.origin { peer, connection in
      guard connection == 0 else { return }
      let stream = try peer.nextRequest()
      try peer.sendHead(stream)
      _ = try peer.nextRequest()
    }
    let wire = try scene.wire()
    let runs = wire.begin(together: try (0..<2).map { try .over(origin, "/\($0)") })
    #expect(try runs[0].wait().error?.phase == .receive)
    // The other one had begun on a connection that was in use already, and nothing was said about it.
    let second = try runs[1].wait()
    #expect(second.metrics.attempts == 2 && second.error?.origin == .upstream)
  }

  @Test("A kept connection that turns out to be dead is replaced, once")
  func deadConnection() throws {
    let origin = try scene.origin { peer, connection in
      let stream = try peer.nextRequest()
      try peer.respond(stream, body: "\(connection)")
      if connection > 0 { try peer.waitForEnd() }
      _ = try peer.nextRequest()
    }
    let wire = try scene.wire()
    #expect(try wire.run(.over(origin)).received == Array("0".utf8))
    let outcome = try wire.run(.over(origin))
    #expect(outcome.received == Array("1".utf8))
    #expect(outcome.metrics.attempts == 2)
  }

  @Test("Time-outs hold for each stream: the response's, and silence")
  func timeouts() throws {
    let origin = try scene.origin { peer, _ in
      let stream = try peer.nextRequest()
      try peer.wait { peer.resets[stream] == .cancel }
      let other = try peer.nextRequest()
      try peer.sendHead(other)
      try peer.wait { peer.resets[other] == .cancel }
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let first = try wire.run(.over(origin), timeouts: TaskTimeouts(request: .milliseconds(300)))
    #expect(first.error?.kind == .timedOut && first.error?.limit == .response && first.error?.phase == .wait)
    let second = try wire.run(.over(origin), timeouts: TaskTimeouts(request: .milliseconds(300)))
    #expect(second.error?.kind == .timedOut && second.error?.limit == .silence && second.error?.phase == .receive)
    #expect(second.metrics.stream?.reset == StreamMetrics.Reset(code: .cancel, who: .local))
    #expect(origin.connections.count == 1)
  }
}
