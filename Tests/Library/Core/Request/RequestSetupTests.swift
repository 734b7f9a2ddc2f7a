import Dispatch
import FoundationEssentials
import TapelineHTTP
import TapelineLoop
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// From the call to the task.
@Suite struct RequestSetupTests {
  private struct Unwilling: URLRequestConvertible {
    struct Failure: Error {}
    func asURLRequest() throws -> URLRequest { throw Failure() }
  }

  @Test(
    "An impossible request does not throw at the call; handlers get create-URL-request-failed"
  )
  func aConvertibleThatThrows() throws {
    let log = EventLog()
    let monitor = ClosureEventMonitor(context: .loop)
    monitor.requestDidFailToCreateURLRequestWithError = { _, _ in log.add("failed") }
    monitor.requestDidFinish = { _ in log.add("finish") }
    let harness = try CoreHarness(eventMonitors: [monitor])
    let request = harness.session.request(Unwilling())
    let outcome = try request.awaitedOutcome().wait()
    guard case .createURLRequestFailed(let error) = outcome.error else { return #expect(Bool(false), "\(outcome)") }
    #expect(error is Unwilling.Failure)
    #expect(outcome.response == nil)
    #expect(request.request == nil)
    #expect(try harness.startedCount() == 0)
    #expect(log.all == ["failed", "finish"])
    #expect(request.isFinished)
  }

  @Test("The library's own error is not wrapped; a request that may not be sent is kept")
  func anInvalidURL() throws {
    let harness = try CoreHarness()
    let request = harness.session.request("http://")
    let outcome = try request.awaitedOutcome().wait()
    #expect(outcome.error != nil)
    if case .createURLRequestFailed = outcome.error { #expect(Bool(false), "wrapped") }
    #expect(request.request?.url?.absoluteString == "http://")
    #expect(request.metrics?.transactions.isEmpty == true)
  }

  @Test("A GET with a body is refused")
  func aGETWithABody() throws {
    let harness = try CoreHarness()
    var urlRequest = try URLRequest(url: CoreHarness.url, method: .get)
    urlRequest.httpBody = Data("body".utf8)
    let outcome = try harness.session.request(urlRequest).awaitedOutcome().wait()
    guard case .urlRequestValidationFailed(.bodyDataInGETRequest(let data)) = outcome.error else {
      return #expect(Bool(false), "\(outcome)")
    }
    #expect(data == Data("body".utf8))
    #expect(try harness.startedCount() == 0)
  }

  @Test("The setup's events come in order")
  func theOrderOfEvents() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(CoreHarness.url)
    #expect(request.isInitialized)
    let awaited = request.awaitedOutcome()
    #expect(request.isResumed)
    try harness.answer(body: "hello")
    #expect(try awaited.wait().value == "hello")
    harness.settle()
    #expect(
      log.all == [
        "resume", "initial", "create", "task", "resumeTask", "head 200", "data 5", "metrics collected", "metrics",
        "task completed",
        "completeTask nil", "finish",
      ])
    #expect(request.requests.count == 1)
    #expect(request.request?.method == .get)
    #expect(request.tasks.count == 1)
    #expect(request.firstTask === request.lastTask)
    #expect(request.allMetrics.count == 1)
    #expect(request.metrics?.attempts == 0)
  }

  @Test("Without an interceptor nothing is adapted; a GET without parameters, encoding and headers")
  func nothingToAdapt() throws {
    let log = EventLog()
    let monitor = ClosureEventMonitor(context: .loop)
    monitor.requestDidAdaptInitialRequestToAdaptedRequest = { _, _, _ in log.add("adapted") }
    let harness = try CoreHarness(eventMonitors: [monitor])
    let request = harness.session.request(CoreHarness.url).resume()
    let task = try harness.task()
    #expect(task.requestHead?.method == .get)
    #expect(log.all.isEmpty)
    request.cancel()
  }

  @Test("The modifier runs on every attempt")
  func theModifierRunsOnEveryAttempt() throws {
    let calls = Protected(0)
    let harness = try CoreHarness(
      interceptor: Retrier { request, _, _, completion in
        completion(request.retryCount == 0 ? .retry : .doNotRetry)
      })
    let request = harness.session.request(
      CoreHarness.url,
      requestModifier: { request in
        calls.write { $0 += 1 }
        request.headers.update(name: "Attempt", value: "\(calls.wrappedValue)")
      })
    let awaited = request.awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    #expect(try harness.task(1).requestHead?.fields.values(named: "Attempt") == ["2"])
    try harness.answer(to: 1)
    _ = try awaited.wait()
    #expect(calls.wrappedValue == 2)
  }

  @Test("The setup runs in the request context, its own serial queue")
  func theSetupRunsInTheRequestContext() throws {
    let queue = DispatchQueue(label: "requests", attributes: .concurrent)
    let harness = try CoreHarness(requestQueue: queue)
    let context = harness.engine.requestContext
    let seen = Awaited<Bool>()
    harness.session.request(CoreHarness.url, requestModifier: { _ in seen.take(context.isCurrent) }).resume()
    #expect(try seen.wait())
    try harness.answer()
  }

  @Test("A request cancelled before its start is never sent, and its handlers are called")
  func cancelledBeforeTheStart() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    #expect(request.isInitialized)
    request.cancel()
    let outcome = try request.awaitedOutcome().wait()
    #expect(outcome.error?.isExplicitlyCancelledError == true)
    #expect(try harness.startedCount() == 0)
    #expect(request.requests.isEmpty)
    #expect(harness.session.activeRequestCount == 0)
  }

  @Test("A request cancelled during setup gets no task")
  func cancelledDuringTheSetup() throws {
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let harness = try CoreHarness()
    let request = harness.session.request(
      CoreHarness.url,
      requestModifier: { _ in
        entered.signal()
        leave.wait()
      })
    let awaited = request.awaitedOutcome()
    entered.wait()
    request.cancel()
    #expect(try awaited.wait().error?.isExplicitlyCancelledError == true)
    leave.signal()
    #expect(try harness.startedCount() == 0)
    #expect(awaited.count == 0)
  }

  @Test("A lazy request evaluates nothing before it is started; an eager one is set up, and not resumed")
  func lazyAndEager() throws {
    let calls = Protected(0)
    let modifier: RequestModifier = { _ in calls.write { $0 += 1 } }
    let lazy = try CoreHarness()
    _ = lazy.session.request(CoreHarness.url, requestModifier: modifier)
    lazy.settle()
    #expect(calls.wrappedValue == 0)
    let eager = try CoreHarness(requestSetup: .eager)
    let request = eager.session.request(CoreHarness.url, requestModifier: modifier)
    #expect(try eager.startedCount() == 0)
    #expect(calls.wrappedValue == 1)
    #expect(request.task?.state == .suspended)
    let awaited = request.awaitedOutcome()
    try eager.answer(body: "x")
    #expect(try awaited.wait().value == "x")
    #expect(calls.wrappedValue == 1)
  }

  @Test("The first handler starts a request, unless the session or the request prevents it")
  func automaticStart() throws {
    let harness = try CoreHarness(startRequestsImmediately: false)
    let waiting = harness.session.request(CoreHarness.url)
    let awaited = waiting.awaitedOutcome()
    #expect(try harness.startedCount() == 0)
    #expect(waiting.isInitialized)
    waiting.resume()
    try harness.answer()
    _ = try awaited.wait()
    let own = harness.session.request(CoreHarness.url, shouldAutomaticallyResume: true)
    let second = own.awaitedOutcome()
    try harness.answer(to: 1)
    _ = try second.wait()
  }

  @Test("The session's fields are added to a request that has none of that name")
  func defaultHeaders() throws {
    let harness = try CoreHarness(headers: ["User-Agent": "ours", "Accept-Language": "en"])
    harness.session.request(CoreHarness.url, headers: ["user-agent": "mine"]).resume()
    let fields = try #require(try harness.task().requestHead).fields
    #expect(fields.values(named: "User-Agent") == ["mine"])
    #expect(fields.values(named: "Accept-Language") == ["en"])
    try harness.answer()
  }

  @Test("The body of a request that is in memory is sent, and again when asked from its beginning")
  func aBodyInMemory() throws {
    let harness = try CoreHarness()
    var urlRequest = try URLRequest(url: CoreHarness.url, method: .post)
    urlRequest.httpBody = Data("0123456789".utf8)
    let request = harness.session.request(urlRequest)
    request.resume()
    let task = try harness.task()
    let sent = try harness.onLoop { transport -> [UInt8] in
      transport.pullBody(of: task, limit: 4)
      #expect(request.delegate.taskNeedsNewBody())
      transport.pullBody(of: task, limit: 100)
      return transport.sentBody
    }
    #expect(String(decoding: sent, as: UTF8.self) == "01234567890123456789")
    #expect(request.uploadProgress.fractionCompleted == 1)
    try harness.answer()
  }

  @Test("Tasks made for requests of many threads have identifiers of their own")
  func identifiersAreUnique() async throws {
    let harness = try CoreHarness()
    let session = harness.session
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<64 { group.addTask { session.request(CoreHarness.url).resume() } }
    }
    _ = try harness.task(63)
    let identifiers = try harness.onLoop { transport in transport.started.map(\.taskIdentifier) }
    #expect(Set(identifiers).count == 64)
    #expect(session.activeRequestCount == 64)
    for index in 0..<64 { try harness.complete(of: index) }
    harness.settle()
    #expect(session.activeRequestCount == 0)
  }
}
