import Dispatch
import FoundationEssentials
import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct SessionDelegateTests {
  @Test(
    "An event of a task goes to the task delegate of the request that the task belongs to"
  )
  func eventsFindTheirRequest() throws {
    let harness = try CoreHarness()
    let first = harness.session.request(CoreHarness.url)
    let second = harness.session.request(CoreHarness.url)
    let outcomes = [first.awaitedOutcome(), second.awaitedOutcome()]
    let tasks = try [harness.task(0), harness.task(1)]
    let delegate = harness.session.delegate
    let firstIndex = first.task === tasks[0] ? 0 : 1
    try harness.onLoop { _ in
      #expect(delegate[tasks[firstIndex]] === first)
      #expect(delegate[tasks[1 - firstIndex]] === second)
    }
    try harness.answer(body: "first", to: firstIndex)
    try harness.answer(body: "second", to: 1 - firstIndex)
    #expect(try outcomes[0].wait().value == "first")
    #expect(try outcomes[1].wait().value == "second")
  }

  @Test(
    "An override takes the data over completely: nothing is kept, no progress; monitors were told before"
  )
  func anOverrideOfTheData() throws {
    let log = EventLog()
    let monitor = ClosureEventMonitor(context: .loop)
    monitor.dataTaskDidReceiveData = { _, data in log.add("monitor \(data.count)") }
    let harness = try CoreHarness(eventMonitors: [monitor])
    harness.session.delegate.dataTaskDidReceiveData = { _, _, data in log.add("override \(data.count)") }
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.answer(body: "hello")
    #expect(try awaited.wait().data == nil)
    #expect(request.downloadProgress == Progress())
    #expect(log.all == ["monitor 5", "override 5"])
  }

  @Test("An override of the head decides in place of the task delegate")
  func anOverrideOfTheHead() throws {
    let harness = try CoreHarness()
    harness.session.delegate.dataTaskDidReceiveResponse = { _, _, response in response.statusCode == 200 ? .proceed : .cancel }
    harness.session.request(CoreHarness.url).resume()
    #expect(try harness.head(500) == .cancel)
    #expect(try harness.head(200) == .proceed)
    try harness.complete()
  }

  @Test("A session's override of did-complete is called, and the gate still opens")
  func anOverrideOfTheCompletion() throws {
    let harness = try CoreHarness()
    let seen = Awaited<Bool>()
    harness.session.delegate.taskDidComplete = { _, _, error in seen.take(error != nil) }
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    #expect(try seen.wait())
    #expect(try awaited.wait().error != nil)
  }

  @Test("Overrides of body progress and of metrics are called")
  func otherOverrides() throws {
    let harness = try CoreHarness()
    let sent = Protected(0)
    let metrics = Awaited<Int>()
    let delegate = harness.session.delegate
    #expect(delegate.overrides == nil)
    delegate.taskNeedsBodyData = { _, _, _ in sent.wrappedValue < 4 ? .bytes([1, 2]) : .end }
    delegate.taskDidSendBodyData = { _, _, count in sent.write { $0 += count } }
    delegate.taskDidFinishCollecting = { _, _, metrics_ in metrics.take(metrics_.attempts) }
    let request = harness.session.request(CoreHarness.url).resume()
    let task = try harness.task()
    try harness.onLoop { $0.pullBody(of: task, limit: 2) }
    #expect(sent.wrappedValue == 4)
    #expect(request.uploadProgress == Progress())
    try harness.answer()
    _ = try metrics.wait()
    delegate.taskNeedsBodyData = nil
    #expect(delegate.taskNeedsBodyData == nil)
  }

  @Test("A task's owner is told of the metrics, then of the completion, and is let go")
  func owner() throws {
    final class Owner: TaskOwner {
      let log: EventLog

      init(_ log: EventLog) { self.log = log }

      func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .proceed }
      func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand { .more }
      func taskDidGatherMetrics(_ task: SessionTask) { log.add("metrics") }
      func task(_ task: SessionTask, didCompleteWith error: TransportError?) { log.add("complete \(error == nil)") }
    }
    let harness = try CoreHarness()
    let log = EventLog()
    let outgoing = try CoreHarness.get()
    let engine = harness.engine
    let isHeld = try harness.onLoop { _ in
      let task = try engine.makeTask(.exchange(outgoing))
      weak var owner: Owner?
      do {
        let made = Owner(log)
        owner = made
        engine.associate(made, with: task)
      }
      #expect(owner != nil && engine.taskCount == 1)
      task.complete(with: nil)
      #expect(engine.taskCount == 0)
      return owner != nil
    }
    #expect(!isHeld)
    #expect(log.all == ["metrics", "complete true"])
  }

  @Test("Events of a task that belongs to no request are ignored")
  func nobody() throws {
    let harness = try CoreHarness()
    let outgoing = try CoreHarness.get()
    let engine = harness.engine
    try harness.onLoop { _ in
      let task = try engine.makeTask(.exchange(outgoing))
      let bytes: [UInt8] = [1]
      #expect(task.didReceive(ResponseHead(status: 200)) == .cancel)
      _ = task.didReceive(bytes.span, at: .now)
      #expect(task.trailers == nil)
      task.complete(with: nil)
      #expect(engine.taskCount == 0)
    }
  }
}
