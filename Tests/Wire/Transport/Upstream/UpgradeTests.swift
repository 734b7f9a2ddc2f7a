import TapelineLoop
import TapelineTestSupport
import TapelineTransport
import Testing

/// Switching protocols (RFC 9110 7.8).
@Suite struct UpgradeTests {
  private static let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: test/1\r\nConnection: Upgrade\r\n\r\n"

  @Test func theTaskBecomesAStreamAndWhatCameBehindTheHeadComesFirst() throws {
    let origin = try ScriptedOrigin([
      .expectHead, .send(Self.switching + "early"),
      .run { connection in
        #expect(try connection.receive(exactly: 4) == Array("ping".utf8))
        try connection.send("pong")
      },
      .halfClose, .expectEnd,
    ])
    let wire = try Wire()
    let run = try wire.begin(.upgrade(origin))
    #expect(try run.waitForBytes(5) == Array("early".utf8))
    #expect(run.send("ping") == .more)
    try run.waitForEvent("end")
    #expect(run.outcome.received == Array("earlypong".utf8))
    run.finishSending()
    let outcome = try run.wait()
    #expect(outcome.events.prefix(3) == ["head 101", "upgrade", "body early"])
    #expect(outcome.events.suffix(3) == ["end", "metrics", "complete nil"])
    #expect(try origin.waitForFinished(1).first?.failure == nil)
    #expect(origin.connections.first?.receivedText.contains("Upgrade: test/1\r\n") == true)
  }

  @Test func ourHalfCloseLeavesTheOriginItsDirection() throws {
    let origin = try ScriptedOrigin([.expectHead, .send(Self.switching), .expectEnd, .send("last words"), .close])
    let wire = try Wire()
    let run = try wire.begin(.upgrade(origin))
    try run.waitForEvent("upgrade")
    run.finishSending()
    let outcome = try run.wait()
    #expect(outcome.received == Array("last words".utf8))
    #expect(outcome.error == nil)
  }

  @Test func aStreamThatIsResetFails() throws {
    let origin = try ScriptedOrigin([.expectHead, .send(Self.switching), .expect(bytes: 1), .reset])
    let wire = try Wire()
    let run = try wire.begin(.upgrade(origin))
    try run.waitForEvent("upgrade")
    run.send("x")
    #expect(try run.wait().error?.kind == .reset)
  }

  @Test func anUpgradeThatNobodyAskedForIsAnError() throws {
    let origin = try ScriptedOrigin([.expectHead, .send(Self.switching), .expectEnd])
    let wire = try Wire()
    let outcome = try wire.run(.upgrade(origin, allows: false))
    #expect(outcome.error?.kind == .protocolViolation)
    #expect(outcome.events == ["metrics", "complete protocolViolation"])
    #expect(origin.connections.first?.receivedText.contains("Upgrade") == false)
  }

  @Test func anOriginMayDecline() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "no")])])
    let wire = try Wire()
    #expect(try wire.run(.upgrade(origin)).events == ["head 200", "body no", "metrics", "complete nil"])
    #expect(try wire.run(.get(origin)).metrics.connection?.isReused == true)
  }

  @Test func anUpgradedConnectionIsNotUsedAgain() throws {
    let origin = try ScriptedOrigin { number in
      number == 0 ? [.expectHead, .send(Self.switching), .halfClose, .expectEnd] : [.expectRequest, .respond(), .expectEnd]
    }
    let wire = try Wire()
    let run = try wire.begin(.upgrade(origin))
    try run.waitForEvent("end")
    run.finishSending()
    #expect(try run.wait().error == nil)
    #expect(try wire.run(.get(origin)).metrics.connection?.isReused == false)
  }
}
