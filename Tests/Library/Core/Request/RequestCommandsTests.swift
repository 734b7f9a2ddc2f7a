import Dispatch
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Resume, suspend and cancel, in every state.
@Suite struct RequestCommandsTests {
  /// A request that was started, and suspended before it had a task.
  private func suspendedDuringSetup(of harness: CoreHarness) -> DataRequest {
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let request = harness.session.request(
      CoreHarness.url,
      requestModifier: { _ in
        entered.signal()
        leave.wait()
      })
    request.resume()
    entered.wait()
    request.suspend()
    leave.signal()
    return request
  }

  @Test("Resuming again starts nothing and keeps the start")
  func resumingAgain() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url).resume()
    _ = try harness.task()
    let start = request.timeline.requestStartTime
    request.suspend().resume().resume()
    #expect(try harness.startedCount() == 1)
    #expect(request.timeline.requestStartTime == start)
    try harness.answer()
  }

  @Test("A request that was suspended before it had a task gets a task that waits")
  func suspendedBeforeTheTask() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let request = suspendedDuringSetup(of: harness)
    #expect(try harness.startedCount() == 0)
    #expect(request.task?.state == .suspended)
    #expect(log.all.suffix(2) == ["task", "suspendTask"])
    request.resume()
    _ = try harness.task()
    harness.settle()
    #expect(log.all.suffix(2) == ["resume", "resumeTask"])
    try harness.answer()
  }

  @Test("A handler that is attached to a suspended request does not start it")
  func aHandlerDoesNotUndoSuspend() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url).suspend()
    let awaited = request.awaitedOutcome()
    #expect(try harness.startedCount() == 0)
    #expect(request.isSuspended)
    request.resume()
    try harness.answer(body: "x")
    #expect(try awaited.wait().value == "x")
  }

  @Test("While the task runs, suspending stops its reading and resuming goes on")
  func suspendedWhileRunning() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(CoreHarness.url).resume()
    let task = try harness.task()
    try harness.head()
    request.suspend()
    harness.settle()
    #expect(try harness.body("x") == .pause)
    request.resume()
    harness.settle()
    #expect(try harness.onLoop { $0.resumed } == [task.taskIdentifier])
    #expect(try harness.body("y") == .more)
    #expect(log.all.filter { $0.hasSuffix("Task") } == ["resumeTask", "suspendTask", "resumeTask"])
    try harness.complete()
  }

  @Test(
    "Cancelling reaches the transport, metrics are gathered, and the request never becomes finished"
  )
  func cancellingARunningTask() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    _ = try harness.task()
    request.cancel()
    let outcome = try awaited.wait()
    #expect(outcome.error?.isExplicitlyCancelledError == true)
    #expect(outcome.timing.metrics != nil)
    harness.settle()
    #expect(request.isCancelled)
    #expect(!request.isFinished)
    #expect(try harness.onLoop { $0.cancelled.count } == 1)
    let ends = ["cancel", "cancelTask", "metrics collected", "metrics", "task completed", "completeTask error", "finish"]
    #expect(log.all.suffix(7) == ends[...])
  }

  @Test("A task that was never started is cancelled without being started")
  func cancellingATaskThatWaits() throws {
    let harness = try CoreHarness()
    let request = suspendedDuringSetup(of: harness)
    #expect(try harness.startedCount() == 0)
    #expect(request.task?.state == .suspended)
    let awaited = request.awaitedOutcome()
    request.cancel()
    #expect(try awaited.wait().error?.isExplicitlyCancelledError == true)
    #expect(try harness.startedCount() == 0)
    #expect(request.metrics != nil)
  }

  @Test("Cancelling keeps an earlier error")
  func cancellingKeepsAnEarlierError() throws {
    let deciding = Awaited<@Sendable (RetryResult) -> Void>()
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in deciding.take(completion) })
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome(retries: false)
    try harness.complete(CoreHarness.refused)
    let decide = try deciding.wait()
    request.cancel()
    #expect(try awaited.wait().error?.transportFailure == .cannotConnectToHost)
    decide(.retry)
    #expect(try harness.startedCount() == 1)
    #expect(awaited.count == 0)
  }

  @Test("A finished request cannot be cancelled, suspended or resumed")
  func commandsAfterTheEnd() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.answer()
    _ = try awaited.wait()
    harness.settle()
    log.clear()
    request.cancel().suspend().resume()
    harness.settle()
    #expect(request.isFinished)
    #expect(request.error == nil)
    #expect(log.all.isEmpty)
  }

  @Test("A request cancelled before it has a task runs its handlers with the error, and opens its gate")
  func withoutATask() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    request.cancel()
    let outcome = try request.awaitedOutcome().wait()
    #expect(outcome.error?.isExplicitlyCancelledError == true)
    let isSuspended = request.delegate.queue.isSuspended
    #expect(!isSuspended)
    #expect(outcome.timing.timeline.latency == outcome.timing.timeline.requestDuration)
  }

  @Test("A request that many threads resume and suspend at once is set up once and has one task")
  func startedByManyThreads() async throws {
    let setUps = Protected(0)
    let harness = try CoreHarness()
    for round in 0..<10 {
      let request = harness.session.request(CoreHarness.url, requestModifier: { _ in setUps.write { $0 += 1 } })
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<32 {
          group.addTask { _ = number.isMultiple(of: 4) ? request.suspend() : request.resume() }
        }
      }
      request.resume()
      #expect(try harness.startedCount() == round + 1)
      #expect(setUps.wrappedValue == round + 1)
      #expect(request.tasks.count == 1)
      try harness.answer(to: round)
    }
  }

  @Test("A request cancelled after its task has completed does not finish a second time")
  func cancelledAfterItsTask() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let runs = Protected(0)
    let awaited = Awaited<Outcome>()
    let request = harness.session.request(CoreHarness.url)
    request.outcome(
      serialize: { _ in
        runs.write { $0 += 1 }
        entered.signal()
        leave.wait()
        return .success("made")
      }, handler: { awaited.take($0) })
    try harness.answer(body: "x")
    entered.wait()
    request.cancel()
    try harness.onLoop { _ in }
    leave.signal()
    #expect(try awaited.wait().value == "made")
    harness.settle()
    #expect(request.isCancelled)
    #expect(awaited.count == 0)
    #expect(runs.wrappedValue == 1)
    #expect(log.all.filter { $0 == "finish" }.count == 1)
    #expect(harness.session.activeRequestCount == 0)
  }
}
