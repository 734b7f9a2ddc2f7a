import Dispatch
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct RequestTimelineTests {
  @Test("The start is the first resume, not the making, of the request")
  func theStartIsTheFirstResume() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let made = WallClockAnchor.process.absoluteTime(at: .now)
    request.resume()
    _ = try harness.task()
    let start = request.timeline.requestStartTime
    #expect(start >= made)
    request.suspend().resume()
    #expect(request.timeline.requestStartTime == start)
    try harness.answer()
  }

  @Test("The timeline is derived when it is read: two readings differ only in their end")
  func twoReadings() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.answer()
    _ = try awaited.wait()
    let first = request.timeline
    let second = request.timeline
    #expect(second.serializationCompletedTime > first.serializationCompletedTime)
    #expect(second.requestStartTime == first.requestStartTime)
    #expect(second.initialResponseTime == first.initialResponseTime)
    #expect(second.requestCompletedTime == first.requestCompletedTime)
  }

  @Test("Each handler's timeline ends when its own serializer has run, and counts no waiting for a queue")
  func serializationStamps() throws {
    let harness = try CoreHarness()
    let blocked = DispatchQueue(label: "blocked")
    let release = DispatchSemaphore(value: 0)
    blocked.async { release.wait() }
    let request = harness.session.request(CoreHarness.url)
    let first = Awaited<Outcome>()
    let second = Awaited<Outcome>()
    let order = Protected<[MonotonicInstant]>([])
    request.outcome(
      on: blocked,
      serialize: { _ in
        order.write { $0.append(.now) }
        return .success("")
      }, handler: { first.take($0) })
    request.outcome(serialize: { _ in .success("") }, handler: { second.take($0) })
    try harness.answer()
    let later = try second.wait().timing
    let handedOver = MonotonicInstant.now
    release.signal()
    let earlier = try first.wait().timing
    #expect(later.timeline.serializationDuration >= earlier.timeline.serializationDuration)
    #expect(earlier.timeline.serializationCompletedTime <= WallClockAnchor.process.absoluteTime(at: handedOver))
    #expect(earlier.serializationDuration >= 0 && earlier.serializationDuration <= earlier.timeline.serializationDuration)
  }

  @Test("A failed attempt has a timeline; without a byte, latency is the request's duration")
  func aFailure() throws {
    let harness = try CoreHarness()
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    let timeline = try awaited.wait().timing.timeline
    #expect(timeline.latency == timeline.requestDuration)
    #expect(timeline.requestDuration > 0)
  }

  @Test("A request that was never resumed has a timeline without a negative duration")
  func neverResumed() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let untouched = request.timeline
    #expect(untouched.requestDuration == 0 && untouched.latency == 0 && untouched.totalDuration == 0)
    request.cancel()
    let timeline = try request.awaitedOutcome().wait().timing.timeline
    #expect(timeline.latency >= 0 && timeline.requestDuration >= 0 && timeline.serializationDuration >= 0)
  }

  @Test("The first byte, the end and the value come in this order; the first byte is stamped once")
  func theFourStamps() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    _ = try harness.task()
    #expect(request.delegate.initialResponseInstant == nil)
    try harness.head()
    let first = try #require(request.delegate.initialResponseInstant)
    try harness.body("x")
    #expect(request.delegate.initialResponseInstant == first)
    #expect(request.delegate.endInstant == nil)
    try harness.complete()
    let timeline = try awaited.wait().timing.timeline
    #expect(timeline.requestStartTime < timeline.initialResponseTime)
    #expect(timeline.initialResponseTime < timeline.requestCompletedTime)
    #expect(timeline.requestCompletedTime <= timeline.serializationCompletedTime)
    #expect(request.delegate.endInstant != nil)
  }

  @Test("The first byte of a body that is sent counts, too")
  func theFirstByteSent() throws {
    let harness = try CoreHarness()
    var urlRequest = try URLRequest(url: CoreHarness.url, method: .post)
    urlRequest.httpBody = .init("body".utf8)
    let request = harness.session.request(urlRequest).resume()
    let task = try harness.task()
    try harness.onLoop { $0.pullBody(of: task, limit: 10) }
    #expect(request.delegate.initialResponseInstant != nil)
    try harness.answer()
  }

  @Test("Durations are differences of a monotonic clock: all absolute times come from one anchor")
  func oneAnchor() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.answer()
    let timeline = try awaited.wait().timing.timeline
    let start = try #require(request.startInstant)
    let end = try #require(request.delegate.endInstant)
    let duration = Double(end.nanoseconds(since: start)) / 1e9
    #expect(abs(timeline.requestDuration - duration) < 1e-6)
    #expect(abs(timeline.requestStartTime - WallClockAnchor.process.absoluteTime(at: start)) < 1e-6)
  }

  @Test("The timeline may be read by any thread while the request runs")
  func readByManyThreads() async throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            let timeline = request.timeline
            #expect(timeline.requestDuration >= 0 && timeline.serializationDuration >= 0)
          }
        }
      }
      group.addTask { #expect(throws: Never.self) { try harness.answer(body: "x") } }
    }
    #expect(try awaited.wait().value == "x")
  }
}
