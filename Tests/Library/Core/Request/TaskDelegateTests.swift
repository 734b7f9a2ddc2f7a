import Dispatch
import FoundationEssentials
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct TaskDelegateTests {
  @Test("A data request works with a data task delegate; the delegate knows its request and its task")
  func theDelegateOfADataRequest() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url).resume()
    #expect(request.delegate is DataTaskDelegate)
    #expect(request.delegate.request === request)
    let task = try harness.task()
    #expect(try harness.onLoop { _ in request.delegate.task === task })
    try harness.answer()
  }

  @Test("The delegate of a request is one constant reference, readable by any thread at any time")
  func theDelegateIsAConstant() async throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let delegate = request.delegate
    let awaited = request.awaitedOutcome()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { request.delegate === delegate } }
      for await isSame in group { #expect(isSame) }
    }
    try harness.answer()
    _ = try awaited.wait()
    #expect(request.delegate === delegate)
  }

  @Test("The gate is serial and suspended from the start")
  func theGateIsSuspended() {
    let delegate = TaskDelegate()
    let isSuspended = delegate.queue.isSuspended
    #expect(isSuspended)
  }

  private static func deliver(_ text: String, to delegate: DataTaskDelegate) -> Demand {
    let bytes = Array(text.utf8)
    return delegate.taskDidReceive(bytes.span)
  }

  @Test("Bytes are kept; or go to the stream closure, and are not; or the override takes them over")
  func threeWays() {
    let kept = DataTaskDelegate()
    #expect(kept.data == nil)
    _ = Self.deliver("hel", to: kept)
    _ = Self.deliver("lo", to: kept)
    #expect(kept.data == Data("hello".utf8))
    let streamed = DataTaskDelegate()
    let pieces = EventLog()
    streamed.dataStream = { pieces.add(String(decoding: $0, as: UTF8.self)) }
    _ = Self.deliver("hello", to: streamed)
    #expect(streamed.data == nil)
    #expect(pieces.all == ["hello"])
    let taken = DataTaskDelegate()
    let bytes = EventLog()
    taken.dataStream = { _ in bytes.add("stream") }
    taken.dataTaskDidReceiveData = { _, data in bytes.add("override \(data.count)") }
    _ = Self.deliver("hello", to: taken)
    #expect(taken.data == nil)
    #expect(bytes.all == ["override 5"])
  }

  @Test("The first stamp of the first byte stands, and a reset forgets it")
  func theFirstStampStands() {
    let delegate = DataTaskDelegate()
    #expect(delegate.initialResponseInstant == nil)
    delegate.stampInitialResponse(at: MonotonicInstant(nanoseconds: 5))
    delegate.stampInitialResponse(at: MonotonicInstant(nanoseconds: 9))
    #expect(delegate.initialResponseInstant == MonotonicInstant(nanoseconds: 5))
    _ = Self.deliver("x", to: delegate)
    delegate.reset()
    #expect(delegate.initialResponseInstant == nil)
    #expect(delegate.data == nil)
    let isSuspended = delegate.queue.isSuspended
    #expect(isSuspended)
  }

  @Test("The first error is kept; a closure takes the end over")
  func theFirstError() {
    struct First: Error {}
    struct Second: Error {}
    let delegate = TaskDelegate()
    delegate.fail(with: First())
    let opens = delegate.complete(with: Second())
    #expect(opens)
    #expect(delegate.error is First)
    let other = TaskDelegate()
    let seen = Protected(0)
    other.taskDidCompleteWithError = { _, error in if error is Second { seen.write { $0 += 1 } } }
    let otherOpens = other.complete(with: Second())
    #expect(!otherOpens)
    #expect(other.error == nil)
    #expect(seen.wrappedValue == 1)
  }

  /// Finishes its work when it is told to.
  private final class Slow: DataTaskDelegate, @unchecked Sendable {
    let finishing = Awaited<@Sendable () -> Void>()

    override var hasWorkToFinish: Bool { true }

    override func finishWork(after error: (any Error)?, _ done: @escaping @Sendable () -> Void) {
      finishing.take(done)
    }
  }

  @Test(
    "Work that takes time is finished before validators, the end time and the handlers, cancelled or not",
    arguments: [false, true])
  func workIsFinishedFirst(cancels: Bool) throws {
    let harness = try CoreHarness()
    let slow = Slow()
    let request = harness.session.enroll(
      DataRequest(convertible: try URLRequest(url: CoreHarness.url, method: .get), delegate: slow, scope: harness.session.scope())
    )
    let validated = Protected(false)
    request.addValidator {
      validated.wrappedValue = true
      return nil
    }
    let awaited = request.awaitedOutcome()
    try harness.head()
    if cancels { request.cancel() } else { try harness.complete() }
    let done = try slow.finishing.wait()
    if cancels { request.cancel() }
    harness.settle()
    #expect(awaited.count == 0)
    #expect(!validated.wrappedValue)
    #expect(request.delegate.endInstant == nil)
    done()
    done()
    #expect(try awaited.wait().error?.isExplicitlyCancelledError ?? false == cancels)
    #expect(validated.wrappedValue == !cancels)
    harness.settle()
    #expect(awaited.count == 0)
  }
}
