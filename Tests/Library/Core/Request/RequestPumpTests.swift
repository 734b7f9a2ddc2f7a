import Dispatch
import FoundationEssentials
import TapelineLoop
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// The gate and the pump: validators < end time < every serializer < every handler.
@Suite struct RequestPumpTests {
  @Test(
    "Validators, end time, serializers and handlers come in this order"
  )
  func thePromisedOrder() throws {
    let harness = try CoreHarness()
    let log = EventLog()
    let request = harness.session.request(CoreHarness.url)
    request.addValidator { [unowned request] in
      log.add(request.delegate.endInstant == nil ? "validator, no end" : "validator after the end")
      return nil
    }
    let done = Awaited<Void>()
    for name in ["first", "second", "third"] {
      request.outcome(
        on: harness.callbacks,
        serialize: { request in
          log.add("serialize \(name)\(request.delegate.endInstant == nil ? " before the end" : "")")
          return .success(name)
        },
        handler: { _ in
          log.add("handle \(name)")
          if name == "third" { done.take(()) }
        })
    }
    try harness.head()
    try harness.body("x")
    harness.settle()
    #expect(log.all.isEmpty)
    try harness.complete()
    try done.wait()
    #expect(
      log.all == [
        "validator, no end", "serialize first", "serialize second", "serialize third", "handle first", "handle second",
        "handle third",
      ])
  }

  @Test("No handler runs before the slowest serializer; serializers run in the serialization context, one at a time")
  func aSlowSerializerDelaysEveryHandler() throws {
    let harness = try CoreHarness(serializationQueue: DispatchQueue(label: "z", attributes: .concurrent))
    let context = harness.engine.serializationContext
    let proceed = DispatchSemaphore(value: 0)
    let request = harness.session.request(CoreHarness.url)
    let first = request.awaitedOutcome()
    let second = Awaited<Outcome>()
    request.outcome(
      serialize: { _ in
        #expect(context.isCurrent)
        proceed.wait()
        return .success("slow")
      }, handler: { second.take($0) })
    try harness.answer(body: "x")
    let isIdle = DispatchSemaphore(value: 0)
    harness.engine.root.async { isIdle.signal() }
    isIdle.wait()
    #expect(first.count == 0)
    proceed.signal()
    #expect(try first.wait().value == "x")
    #expect(try second.wait().value == "slow")
  }

  @Test("Handlers may have their own queues; each gets the response on the queue it named")
  func handlersOnTheirQueues() throws {
    let harness = try CoreHarness()
    let key = DispatchSpecificKey<Int>()
    let queues = (0..<4).map { number -> DispatchQueue in
      let queue = DispatchQueue(label: "queue \(number)")
      queue.setSpecific(key: key, value: number)
      return queue
    }
    let request = harness.session.request(CoreHarness.url)
    let seen = Awaited<[Int?]>()
    for (number, queue) in queues.enumerated() {
      request.outcome(on: queue) { _ in seen.take([number, DispatchQueue.getSpecific(key: key)]) }
    }
    try harness.answer()
    for _ in 0..<4 {
      let pair = try seen.wait()
      #expect(pair[0] == pair[1])
    }
  }

  @Test(
    "A late handler is called: the request is resumed for it, and finishes again")
  func lateHandlers() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(CoreHarness.url)
    let early = request.awaitedOutcome()
    try harness.answer(body: "x")
    #expect(try early.wait().value == "x")
    harness.settle()
    #expect(request.isFinished)
    for _ in 0..<3 {
      #expect(try request.awaitedOutcome().wait().value == "x")
      harness.settle()
      #expect(request.isFinished)
    }
    #expect(try harness.startedCount() == 1)
    #expect(log.all.filter { $0 == "finish" }.count == 1)
  }

  @Test("A handler that is attached inside a handler is called")
  func aHandlerInsideAHandler() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let inner = Awaited<Outcome>()
    request.outcome { _ in request.outcome { inner.take($0) } }
    try harness.answer(body: "x")
    #expect(try inner.wait().value == "x")
  }

  @Test("Cancelling inside a handler runs no serializer again, and calls no handler again")
  func cancellingInsideAHandler() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let serialized = Protected(0)
    let awaited = Awaited<Outcome>()
    for _ in 0..<2 {
      request.outcome(
        serialize: { request in
          serialized.write { $0 += 1 }
          return request.bodyText
        },
        handler: { outcome in
          request.cancel()
          awaited.take(outcome)
        })
    }
    try harness.answer(body: "x")
    _ = try awaited.wait()
    _ = try awaited.wait()
    harness.settle()
    #expect(serialized.wrappedValue == 2)
    #expect(awaited.count == 0)
  }

  @Test("Handlers attached by many threads around the end are called once each, and each serializer runs once")
  func attachingAroundTheEnd() async throws {
    let harness = try CoreHarness()
    for round in 0..<10 {
      let request = harness.session.request(CoreHarness.url)
      let runs = Protected(0)
      let calls = Awaited<Outcome>()
      request.resume()
      let task = try harness.task(round)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<24 {
          group.addTask {
            if number == 12 {
              task.loop.execute { task.complete(with: nil) }
            } else {
              request.outcome(
                serialize: { _ in
                  runs.write { $0 += 1 }
                  return .success("")
                }, handler: { calls.take($0) })
            }
          }
        }
      }
      for _ in 0..<23 { _ = try calls.wait() }
      harness.settle()
      #expect(runs.wrappedValue == 23)
      #expect(calls.count == 0)
      #expect(request.isFinished)
    }
  }

  @Test("Finish handlers run once, after the handlers were issued; a late finish handler runs at once")
  func finishHandlers() throws {
    let harness = try CoreHarness()
    let log = EventLog()
    let ended = Awaited<Void>()
    let request = harness.session.request(CoreHarness.url)
    request.outcome(on: harness.callbacks) { _ in log.add("handler") }
    request.onFinish {
      harness.callbacks.async {
        log.add("finish")
        ended.take(())
      }
    }
    try harness.answer()
    try ended.wait()
    #expect(log.all == ["handler", "finish"])
    request.onFinish { ended.take(()) }
    try ended.wait()
    harness.settle()
    #expect(ended.count == 0)
  }

  @Test("A handler without a serializer is called in its place among the handlers")
  func completionsWithoutAValue() throws {
    let harness = try CoreHarness()
    let log = EventLog()
    let done = Awaited<Void>()
    let request = harness.session.request(CoreHarness.url)
    request.onCompletion { log.add("first") }
    request.outcome(serialize: { _ in
      log.add("serialize")
      return .success("")
    }) { _ in done.take(()) }
    try harness.answer()
    try done.wait()
    #expect(log.all == ["serialize", "first"])
  }

  @Test("A closure on the task delegate takes over the end; handlers wait until it opens the gate")
  func theGateIsTheClosures() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url, shouldAutomaticallyResume: false)
    let taken = Awaited<Bool>()
    request.delegate.taskDidCompleteWithError = { task, error in taken.take(task != nil && error != nil) }
    let awaited = request.awaitedOutcome()
    request.resume()
    try harness.complete(CoreHarness.refused)
    #expect(try taken.wait())
    harness.settle()
    #expect(awaited.count == 0)
    try harness.onLoop { _ in request.delegate.queue.open() }
    #expect(try awaited.wait().error == nil)
    harness.settle()
    #expect(request.isFinished)
  }

  @Test("Operations added to the gate run before the serializers, and late operations run too")
  func operationsOfTheGate() throws {
    let harness = try CoreHarness()
    let log = EventLog()
    let request = harness.session.request(CoreHarness.url)
    let wantsDrain = request.delegate.queue.enqueue { log.add("operation") }
    #expect(!wantsDrain)
    let done = Awaited<Void>()
    request.outcome(serialize: { _ in
      log.add("serialize")
      return .success("")
    }) { _ in done.take(()) }
    try harness.answer()
    try done.wait()
    #expect(log.all == ["operation", "serialize"])
  }

  @Test("Serializers start before the end is reported, which happens once")
  func serializersStartBeforeTheEndIsTold() throws {
    let entered = DispatchSemaphore(value: 0)
    let told = Awaited<Bool>()
    let monitor = ClosureEventMonitor(context: .loop)
    monitor.requestDidFinish = { _ in told.take(entered.wait(timeout: .now() + 120) == .success) }
    let harness = try CoreHarness(eventMonitors: [monitor])
    let awaited = Awaited<Outcome>()
    harness.session.request(CoreHarness.url).outcome(
      serialize: { _ in
        entered.signal()
        return .success("")
      }, handler: { awaited.take($0) })
    try harness.answer()
    #expect(try told.wait())
    _ = try awaited.wait()
    harness.settle()
    #expect(told.count == 0)
  }
}
