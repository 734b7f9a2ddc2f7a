import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineTransport

@Suite struct TaskTimeoutsTests {
  @Test("4: what is no limit is none", arguments: [0, -1, .infinity, .nan, 1e300])
  func noLimit(seconds: Double) {
    #expect(TaskTimeouts(requestSeconds: seconds, resourceSeconds: seconds) == TaskTimeouts())
  }

  @Test("4: seconds become nanoseconds, and never none")
  func limits() {
    #expect(
      TaskTimeouts(requestSeconds: 1.5, resourceSeconds: 1e-12)
        == TaskTimeouts(request: .milliseconds(1_500), resource: .nanoseconds(1)))
  }

  /// Seconds: longer than a busy machine needs for what comes before the silence.
  private static let patience = 3.0

  @Test("4: a task's own patience ends the wait for a response, and its connection")
  func response() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    let wire = try Wire()
    let outcome = try wire.run(.get(origin), timeouts: TaskTimeouts(requestSeconds: Self.patience, resourceSeconds: nil))
    #expect(outcome.error?.kind == .timedOut)
    #expect(outcome.error?.phase == .wait)
  }

  @Test("4: a task's own patience ends the silence inside a response")
  func silence() throws {
    let origin = try ScriptedOrigin([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .expectEnd])
    let wire = try Wire()
    let outcome = try wire.run(.get(origin), timeouts: TaskTimeouts(requestSeconds: Self.patience, resourceSeconds: nil))
    #expect(outcome.error?.kind == .timedOut)
    #expect(outcome.error?.phase == .receive)
    #expect(outcome.received == Array("half".utf8))
  }

  @Test("4: bytes that keep coming keep a task's own patience")
  func bytesKeepPatience() throws {
    let pieces = (0..<8).map { _ in Array("x".utf8) }
    let origin = try ScriptedOrigin([.expectRequest] + OriginStep.respond(inPieces: pieces, every: 600) + [.expectEnd])
    let wire = try Wire()
    let outcome = try wire.run(.get(origin), timeouts: TaskTimeouts(requestSeconds: Self.patience, resourceSeconds: nil))
    #expect(outcome.error == nil)
    #expect(outcome.received.count == pieces.count)
  }

  @Test("4: the time for the whole task ends it, however lively its response is")
  func resource() throws {
    let pieces = (0..<200).map { _ in Array("x".utf8) }
    let origin = try ScriptedOrigin([.expectRequest] + OriginStep.respond(inPieces: pieces, every: 10) + [.expectEnd])
    let wire = try Wire()
    let outcome = try wire.run(.get(origin), timeouts: TaskTimeouts(requestSeconds: 5, resourceSeconds: 0.15))
    #expect(outcome.error == .tookTooLong)
    #expect(outcome.received.count < pieces.count)
  }

  @Test("4: a task that is cancelled in time is cancelled, not late")
  func cancelled() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    let wire = try Wire()
    let run = try wire.begin(.get(origin), timeouts: TaskTimeouts(requestSeconds: 5, resourceSeconds: 5))
    _ = try origin.waitForRequests(1)
    run.task.cancel()
    #expect(try run.wait().error?.kind == .cancelled)
  }
}
