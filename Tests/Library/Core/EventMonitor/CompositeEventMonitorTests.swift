import Dispatch
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct CompositeEventMonitorTests {
  @Test("Monitors on queues get every event in order, each on its own queue")
  func monitorsOnQueues() throws {
    let own = DispatchQueue(label: "own")
    let logs = [EventLog(), EventLog(), EventLog()]
    // The last of those on the shared queue: when it hears of the end, the others have.
    let ended = Awaited<Void>()
    let last = ClosureEventMonitor()
    last.requestDidFinish = { _ in ended.take(()) }
    let harness = try CoreHarness(eventMonitors: [
      EventRecorder(logs[0], context: .loop), EventRecorder(logs[1], context: .queue(nil)),
      EventRecorder(logs[2], context: .queue(own)), last,
    ])
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.answer(body: "x")
    _ = try awaited.wait()
    harness.settle()
    try ended.wait()
    own.sync {}
    #expect(logs[0].all.last == "finish")
    #expect(logs[1].all == logs[0].all)
    #expect(logs[2].all == logs[0].all)
  }

  @Test("A monitor is told on its own queue, else on one that the composite has; never on the main queue")
  func queuesOfMonitors() throws {
    let key = DispatchSpecificKey<String>()
    let own = DispatchQueue(label: "own")
    own.setSpecific(key: key, value: "own")
    let seen = Awaited<String?>()
    let first = ClosureEventMonitor(queue: own)
    first.requestDidFinish = { _ in seen.take(DispatchQueue.getSpecific(key: key)) }
    let second = ClosureEventMonitor()
    let elsewhere = Awaited<String?>()
    second.requestDidFinish = { _ in elsewhere.take(DispatchQueue.getSpecific(key: key)) }
    let harness = try CoreHarness(eventMonitors: [first, second])
    harness.session.request(CoreHarness.url).resume()
    try harness.answer()
    #expect(try seen.wait() == "own")
    #expect(try elsewhere.wait() == nil)
  }

  @Test("A monitor gets our own task and request types, and closures for what it is interested in")
  func closures() throws {
    let log = EventLog()
    let monitor = ClosureEventMonitor(context: .loop)
    monitor.requestDidCreateTask = { request, task in log.add("task \(request.tasks.count) \(task.taskIdentifier)") }
    monitor.requestDidCompleteTaskWithError = { _, _, error in log.add("complete \(error == nil)") }
    let harness = try CoreHarness(eventMonitors: [monitor])
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.answer()
    _ = try awaited.wait()
    #expect(log.all == ["task 1 1", "complete true"])
  }
}
