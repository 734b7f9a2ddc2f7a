import Dispatch
import FoundationEssentials
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// What becomes of an error: the end, or another attempt.
@Suite struct RequestRetryTests {
  private struct Refusal: Error {}

  /// Retries until so many attempts were made.
  private static func retrier(attempts: UInt, log: EventLog? = nil, delay: TimeInterval? = nil) -> Retrier {
    Retrier { request, _, _, completion in
      log?.add("asked")
      guard request.retryCount + 1 < attempts else { return completion(.doNotRetry) }
      completion(delay.map { .retryWithDelay($0) } ?? .retry)
    }
  }

  @Test(
    "A request finishes with its outcome if it has no error, no retrier, or gets do-not-retry")
  func theEnd() throws {
    let log = EventLog()
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 1, log: log))
    let fine = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.answer()
    #expect(try fine.wait().error == nil)
    #expect(log.all.isEmpty)
    let failed = harness.session.request(CoreHarness.url)
    let outcome = failed.awaitedOutcome()
    try harness.complete(CoreHarness.refused, of: 1)
    #expect(try outcome.wait().error?.transportFailure == .cannotConnectToHost)
    #expect(failed.retryCount == 0)
    let plain = try CoreHarness()
    let alone = plain.session.request(CoreHarness.url).awaitedOutcome()
    try plain.complete(CoreHarness.refused)
    #expect(try alone.wait().error != nil)
  }

  @Test("A retrier's own error is wrapped with the original one, and is what the handlers get")
  func aRetriersError() throws {
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in completion(.doNotRetryWithError(Refusal())) })
    let request = harness.session.request(CoreHarness.url)
    let outcome = try {
      let awaited = request.awaitedOutcome(retries: false)
      try harness.complete(CoreHarness.refused)
      return try awaited.wait()
    }()
    guard case .requestRetryFailed(let retryError, let original) = outcome.error else {
      return #expect(Bool(false), "\(outcome)")
    }
    #expect(retryError is Refusal)
    #expect((original as? TapelineError)?.transportFailure == .cannotConnectToHost)
  }

  @Test("A retry has a new task, a fresh start, no data of the old attempt, and counts")
  func anotherAttempt() throws {
    let log = EventLog()
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 2), eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.head(503)
    try harness.body("old")
    let firstStart = request.timeline.requestStartTime
    try harness.complete(CoreHarness.refused)
    let second = try harness.task(1)
    #expect(request.data == nil)
    #expect(request.response == nil)
    #expect(request.error == nil)
    #expect(request.retryCount == 1)
    #expect(request.timeline.requestStartTime > firstStart)
    try harness.answer(body: "new", to: 1)
    let outcome = try awaited.wait()
    #expect(outcome.value == "new")
    #expect(outcome.response?.statusCode == 200)
    #expect(request.tasks.count == 2)
    #expect(request.lastTask === second)
    #expect(request.requests.count == 4, "each attempt's, as first made and as adapted")
    #expect(request.allMetrics.count == 2)
    harness.settle()
    let events = log.all
    let retry = try #require(events.firstIndex(of: "retry"))
    #expect(events[(retry + 1)...].prefix(5) == ["initial", "adapt", "create", "task", "resumeTask"])
    #expect(events.filter { $0 == "finish" }.count == 1)
  }

  @Test("A retry with a delay waits on the loop; cancelled meanwhile, the request ends at once and is not sent again")
  func aDelay() throws {
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 2, delay: 0.02))
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    try harness.answer(body: "x", to: 1)
    #expect(try awaited.wait().value == "x")
    let patient = try CoreHarness(interceptor: Self.retrier(attempts: 2, delay: 3_600))
    let request = patient.session.request(CoreHarness.url)
    let outcome = request.awaitedOutcome()
    try patient.complete(CoreHarness.refused)
    patient.settle()
    #expect(request.retryCount == 1)
    request.cancel()
    #expect(try outcome.wait().error?.isExplicitlyCancelledError == true)
    #expect(try patient.startedCount() == 1)
    #expect(patient.session.activeRequestCount == 0)
  }

  @Test(
    "Retriers are asked twice, at completion and per failing serializer; a retry drops what serializers made, and all run again"
  )
  func aSerializersFailure() throws {
    let asked = EventLog()
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 2, log: asked))
    let request = harness.session.request(CoreHarness.url)
    let first = request.awaitedOutcome()
    let second = Awaited<Outcome>()
    let runs = Protected(0)
    request.outcome(
      serialize: { request in
        let run = runs.write { runs in
          runs += 1
          return runs
        }
        return run == 1 ? .failure(serializationFailure()) : request.bodyText
      }, handler: { second.take($0) })
    try harness.answer(body: "old")
    try harness.answer(body: "new", to: 1)
    #expect(try first.wait().value == "new")
    #expect(try second.wait().value == "new")
    harness.settle()
    #expect(first.count == 0 && second.count == 0)
    #expect(asked.all.count == 1)
    #expect(request.retryCount == 1)
  }

  @Test("An error that the serializers report again reaches the retrier again")
  func askedAtBothPlaces() throws {
    let asked = EventLog()
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 1, log: asked))
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    _ = try awaited.wait()
    #expect(asked.all.count == 2)
    let once = harness.session.request(CoreHarness.url).awaitedOutcome(retries: false)
    try harness.complete(CoreHarness.refused, of: 1)
    _ = try once.wait()
    #expect(asked.all.count == 3)
  }

  @Test("A cancelled request does not reach the retrier, and its handlers are called")
  func noRetrierForTheCancelled() throws {
    let asked = EventLog()
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 9, log: asked))
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    _ = try harness.task()
    request.cancel()
    #expect(try awaited.wait().error?.isExplicitlyCancelledError == true)
    #expect(asked.all.isEmpty)
    #expect(try harness.startedCount() == 1)
  }

  @Test("A request cancelled while a serializer's retrier decides is not sent again, and its handlers are called")
  func cancelledDuringASerializersDecision() throws {
    let deciding = Awaited<@Sendable (RetryResult) -> Void>()
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in deciding.take(completion) })
    let request = harness.session.request(CoreHarness.url)
    let awaited = Awaited<Outcome>()
    request.outcome(serialize: { _ in .failure(serializationFailure()) }, handler: { awaited.take($0) })
    try harness.answer()
    let decide = try deciding.wait()
    request.cancel()
    harness.settle()
    #expect(awaited.count == 0)
    decide(.retry)
    #expect(try awaited.wait().error != nil)
    #expect(try harness.startedCount() == 1)
  }

  @Test("Only the first answer of a retrier counts")
  func answeringTwice() throws {
    let harness = try CoreHarness(
      interceptor: Retrier { request, _, _, completion in
        let result: RetryResult = request.retryCount == 0 ? .retry : .doNotRetry
        completion(result)
        completion(result)
      })
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    try harness.answer(body: "x", to: 1)
    #expect(try awaited.wait().value == "x")
    #expect(try harness.startedCount() == 2)
  }

  @Test("A late handler whose serializer fails may start another attempt")
  func aLateRetry() throws {
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 2))
    let request = harness.session.request(CoreHarness.url)
    let early = request.awaitedOutcome()
    try harness.answer(body: "old")
    #expect(try early.wait().value == "old")
    harness.settle()
    let late = Awaited<Outcome>()
    request.outcome(
      serialize: { $0.bodyText.value == "new" ? $0.bodyText : .failure(serializationFailure()) }, handler: { late.take($0) })
    try harness.answer(body: "new", to: 1)
    #expect(try late.wait().value == "new")
    harness.settle()
    #expect(request.isFinished)
    #expect(early.count == 0)
  }

  @Test("A request that is suspended between two attempts gets a task that waits")
  func suspendedBetweenAttempts() throws {
    let deciding = Awaited<@Sendable (RetryResult) -> Void>()
    let harness = try CoreHarness(
      interceptor: Retrier { request, _, _, completion in
        if request.retryCount == 0 { deciding.take(completion) } else { completion(.doNotRetry) }
      })
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    let decide = try deciding.wait()
    request.suspend()
    decide(.retry)
    #expect(try harness.startedCount() == 1)
    #expect(request.tasks.count == 2)
    request.resume()
    try harness.answer(body: "x", to: 1)
    #expect(try awaited.wait().value == "x")
  }

  @Test("Validators skip themselves after an error and without a response; the first that is not satisfied wins")
  func validators() throws {
    let harness = try CoreHarness()
    let log = EventLog()
    func attach(to request: DataRequest) -> Awaited<Outcome> {
      request.addValidator {
        log.add("first")
        return nil
      }
      request.addValidator {
        log.add("second")
        return Refusal()
      }
      request.addValidator {
        log.add("third")
        return nil
      }
      return request.awaitedOutcome()
    }
    let answered = attach(to: harness.session.request(CoreHarness.url))
    try harness.answer()
    guard case .responseValidationFailed(.customValidationFailed(let error)) = try answered.wait().error else {
      return #expect(Bool(false))
    }
    #expect(error is Refusal)
    #expect(log.all == ["first", "second"])
    log.clear()
    let failed = attach(to: harness.session.request(CoreHarness.url))
    try harness.complete(CoreHarness.refused, of: 1)
    #expect(try failed.wait().error?.transportFailure == .cannotConnectToHost)
    let silent = attach(to: harness.session.request(CoreHarness.url))
    try harness.complete(of: 2)
    #expect(try silent.wait().error == nil)
    #expect(log.all.isEmpty)
  }

  @Test("A validator may outlive everything else of its request: it is held until the end")
  func validatorsAreHeldToTheEnd() throws {
    let harness = try CoreHarness()
    let validated = Awaited<Int?>()
    do {
      let request = harness.session.request(CoreHarness.url)
      request.addValidator { [weak request] in
        validated.take(request?.response?.statusCode)
        return nil
      }
      request.resume()
    }
    try harness.answer(204)
    #expect(try validated.wait() == 204)
  }

  @Test("When a task has completed, validators come first, then the event, then the retrier")
  func theOrderAtCompletion() throws {
    let log = EventLog()
    let harness = try CoreHarness(interceptor: Self.retrier(attempts: 1, log: log), eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(CoreHarness.url)
    request.addValidator {
      log.add("validator")
      return Refusal()
    }
    let awaited = request.awaitedOutcome(retries: false)
    try harness.answer()
    #expect(try awaited.wait().error?.underlyingError is Refusal)
    harness.settle()
    #expect(log.all.suffix(5) == ["task completed", "validator", "completeTask error", "asked", "finish"])
  }
}
