import Dispatch
import Testing

@testable import TapelineCore

@Suite struct SessionTeardownTests {
  @Test("A released session ends its unfinished requests with session-deinitialized, and only those")
  func releasingASession() throws {
    let harness = try CoreHarness()
    let finished = harness.session.request(CoreHarness.url)
    let first = finished.awaitedOutcome()
    try harness.answer(body: "x")
    #expect(try first.wait().value == "x")
    let running = harness.session.request(CoreHarness.url)
    let awaited = running.awaitedOutcome()
    _ = try harness.task(1)
    harness.releaseSession()
    #expect(try awaited.wait().error?.isSessionDeinitializedError == true)
    harness.settle()
    #expect(finished.error == nil)
    #expect(first.count == 0)
    #expect(try harness.onLoop { $0.cancelled.count } == 1)
    #expect(harness.engine.activeRequestCount == 0)
    #expect(running.metrics != nil)
  }

  @Test("A request of a session that is gone finishes when it is started; a late handler is still called")
  func afterTheSession() throws {
    let harness = try CoreHarness()
    let never = harness.session.request(CoreHarness.url)
    let early = harness.session.request(CoreHarness.url)
    let outcome = early.awaitedOutcome()
    try harness.answer(body: "x")
    #expect(try outcome.wait().value == "x")
    harness.settle()
    harness.releaseSession()
    harness.settle()
    #expect(try never.awaitedOutcome().wait().error?.isSessionDeinitializedError == true)
    #expect(try early.awaitedOutcome().wait().value == "x")
  }

  @Test("A session ends its thread when its last request is released, by any thread")
  func theThreadEnds() throws {
    weak var engine: SessionEngine?
    do {
      let session = Session()
      engine = session.engine
      let request = session.request("http://127.0.0.1:1/")
      #expect(try request.awaitedOutcome().wait().error != nil)
    }
    // The last references may be let go of by the loop, in its own time: what it does next comes after that.
    for _ in 0..<1_000 {
      guard let engine else { break }
      let done = DispatchSemaphore(value: 0)
      engine.root.async { done.signal() }
      done.wait()
    }
    #expect(engine == nil)
  }

  @Test("A request that waits for its next attempt ends with its session")
  func duringADelay() throws {
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in completion(.retryWithDelay(3_600)) })
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    harness.settle()
    harness.releaseSession()
    #expect(try awaited.wait().error?.isSessionDeinitializedError == true)
  }

  @Test("A request whose attempt has ended keeps its outcome when its session goes while a serializer runs")
  func duringASerializer() throws {
    let harness = try CoreHarness()
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let awaited = Awaited<Outcome>()
    harness.session.request(CoreHarness.url).outcome(
      serialize: { request in
        entered.signal()
        leave.wait()
        return request.bodyText
      }, handler: { awaited.take($0) })
    try harness.answer(body: "x")
    entered.wait()
    harness.releaseSession()
    try harness.onLoop { _ in }
    try harness.onLoop { _ in }
    leave.signal()
    #expect(try awaited.wait().value == "x")
  }
}
