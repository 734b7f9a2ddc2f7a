import Dispatch
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct InterceptorTests {
  private struct Refusal: Error {}

  private static func adding(_ name: String) -> Adapter {
    Adapter { request, _, completion in
      var adapted = request
      adapted.headers.append(name: "Adapted", value: name)
      completion(.success(adapted))
    }
  }

  @Test("The request's adapter comes before the session's, and each gets what the one before made")
  func theOrderOfAdapters() throws {
    let log = EventLog()
    let harness = try CoreHarness(interceptor: Self.adding("session"), eventMonitors: [EventRecorder(log)])
    let request = harness.session.request(
      CoreHarness.url, interceptor: Interceptor(adapters: [Self.adding("first"), Self.adding("second")]))
    request.resume()
    let fields = try #require(try harness.task().requestHead).fields
    #expect(fields.values(named: "Adapted") == ["first", "second", "session"])
    #expect(request.requests.count == 2)
    #expect(request.firstRequest?.headers.isEmpty == true)
    #expect(log.all.prefix(5) == ["resume", "initial", "adapt", "create", "task"])
    try harness.answer()
  }

  @Test("An adapter that fails, fails the request; what it made is validated like any other")
  func aFailingAdapter() throws {
    let log = EventLog()
    let harness = try CoreHarness(
      interceptor: Adapter { _, _, completion in completion(.failure(Refusal())) }, eventMonitors: [EventRecorder(log)])
    guard case .requestAdaptationFailed(let error) = try harness.session.request(CoreHarness.url).awaitedOutcome().wait().error
    else {
      return #expect(Bool(false))
    }
    #expect(error is Refusal)
    #expect(log.all.contains("no adaptation"))
    let invalid = try CoreHarness(
      interceptor: Adapter { request, _, completion in
        var adapted = request
        adapted.httpBody = .init([1])
        completion(.success(adapted))
      })
    guard case .requestAdaptationFailed(let reason) = try invalid.session.request(CoreHarness.url).awaitedOutcome().wait().error
    else { return #expect(Bool(false)) }
    #expect((reason as? TapelineError)?.isURLRequestValidationError == true)
    #expect(try invalid.startedCount() == 0)
  }

  @Test("An adapter may answer later, from any thread, and only its first answer counts")
  func anAsynchronousAdapter() throws {
    let harness = try CoreHarness(
      interceptor: Adapter { request, _, completion in
        DispatchQueue.global().async {
          completion(.success(request))
          completion(.success(request))
        }
      })
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.answer(body: "x")
    #expect(try awaited.wait().value == "x")
    #expect(try harness.startedCount() == 1)
  }

  private struct Inline: RequestInterceptor {
    let log: EventLog
    let accepts: Bool

    func adaptInline(_ urlRequest: inout URLRequest, using state: RequestAdapterState) throws -> Bool {
      log.add("inline")
      urlRequest.headers.update(name: "Inline", value: "yes")
      return accepts
    }

    func adapt(
      _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
      log.add("completion")
      completion(.success(urlRequest))
    }
  }

  @Test("The inline form is tried first, the completion form only when it declines", arguments: [true, false])
  func theInlineForm(accepts: Bool) throws {
    let log = EventLog()
    let harness = try CoreHarness(interceptor: Inline(log: log, accepts: accepts))
    harness.session.request(CoreHarness.url).resume()
    let fields = try #require(try harness.task().requestHead).fields
    #expect(fields.values(named: "Inline") == (accepts ? ["yes"] : []))
    #expect(log.all == (accepts ? ["inline"] : ["inline", "completion"]))
    try harness.answer()
  }

  private struct Awaiting: AsyncRequestAdapter, AsyncRequestRetrier, RequestInterceptor {
    func adapt(_ urlRequest: URLRequest, using state: RequestAdapterState) async throws -> URLRequest {
      await Task.yield()
      var adapted = urlRequest
      adapted.headers.update(name: "Request", value: "\(state.requestID)")
      return adapted
    }

    func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
      await Task.yield()
      return request.retryCount == 0 ? .retry : .doNotRetry
    }
  }

  @Test("Adapters and retriers may be written as async functions")
  func asyncForms() async throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url, interceptor: Awaiting())
    // Awaited, not waited for: the functions run where tests do, and behind all of them.
    var attempts = request.urlRequests().makeAsyncIterator()
    let text = request.serializingString()
    _ = await attempts.next()
    #expect(try harness.task().requestHead?.fields.values(named: "Request") == ["\(request.id)"])
    try harness.complete(CoreHarness.refused)
    _ = await attempts.next()
    try harness.answer(body: "x", to: 1)
    #expect(try await text.value == "x")
  }

  @Test("Retriers are asked in the order request, session; only after do-not-retry the next one is")
  func theOrderOfRetriers() throws {
    let log = EventLog()
    func retrier(_ name: String, _ result: RetryResult) -> Retrier {
      Retrier { request, _, _, completion in
        log.add(name)
        completion(request.retryCount == 0 ? result : .doNotRetry)
      }
    }
    let harness = try CoreHarness(interceptor: retrier("session", .retry))
    let request = harness.session.request(
      CoreHarness.url,
      interceptor: Interceptor(retriers: [retrier("first", .doNotRetry), retrier("second", .doNotRetry)]))
    let awaited = request.awaitedOutcome(retries: false)
    try harness.complete(CoreHarness.refused)
    try harness.answer(to: 1)
    _ = try awaited.wait()
    #expect(log.all == ["first", "second", "session"])
    log.clear()
    let early = harness.session.request(CoreHarness.url, interceptor: retrier("own", .retry))
    let outcome = early.awaitedOutcome(retries: false)
    try harness.complete(CoreHarness.refused, of: 2)
    try harness.answer(to: 3)
    _ = try outcome.wait()
    #expect(log.all == ["own"])
  }

  @Test("The conveniences make interceptors from closures")
  func conveniences() throws {
    let harness = try CoreHarness(
      interceptor: .interceptor(
        adapter: { request, _, completion in completion(.success(request)) },
        retrier: { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) }))
    let awaited = harness.session.request(
      CoreHarness.url,
      interceptor: .interceptor(adapters: [.adapter { $2(.success($0)) }], retriers: [.retrier { $3(.doNotRetry) }])
    ).awaitedOutcome()
    try harness.complete(CoreHarness.refused)
    try harness.answer(body: "x", to: 1)
    #expect(try awaited.wait().value == "x")
  }
}
