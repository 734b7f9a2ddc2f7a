import Dispatch
import FoundationEssentials
import Synchronization
import TapelineCore
import TapelineTestSupport
import Testing

/// What one request has of its own: adapters, retriers, monitors, and its place in a trace.
@Suite struct PerRequestTests {
  private struct Mark: RequestAdapter {
    let name: String

    func adapt(
      _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
      var marked = urlRequest
      marked.headers.append(name: "X-Mark", value: name)
      completion(.success(marked))
    }
  }

  private struct MarkInterceptor: RequestInterceptor {
    let mark: Mark

    func adapt(
      _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
      mark.adapt(urlRequest, for: session, completion: completion)
    }
  }

  fileprivate final class Listener: EventMonitor {
    let queue = DispatchQueue(label: "listener")
    private let seen = Mutex<[String]>([])

    var events: [String] { seen.withLock { $0 } }

    func requestDidResume(_ request: Request) { seen.withLock { $0.append("resumed") } }
    func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {
      seen.withLock { $0.append("completed") }
    }
    func task(_ task: SessionTask, didReceive data: Data) { seen.withLock { $0.append("data") } }
    func requestDidFinish(_ request: Request) { seen.withLock { $0.append("finished") } }
    func request<Value>(_ request: DataRequest, didParseResponse response: DataResponse<Value>) {
      seen.withLock { $0.append("parsed") }
    }
  }

  @Test("A request's own adapters come after the session's, in order")
  func adapters() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "ok"), .expectEnd])
    let session = Session(configuration: .patient, interceptor: MarkInterceptor(mark: Mark(name: "session")))
    let request = session.request(origin.url(), interceptor: MarkInterceptor(mark: Mark(name: "given")))
      .adapt(using: Mark(name: "own 1")).interceptor(MarkInterceptor(mark: Mark(name: "own 2")))
    _ = await request.serializingString().response
    #expect(origin.requests.first?.values(of: "X-Mark") == ["given", "session", "own 1", "own 2"])
  }

  @Test("An adapter may complete a URL; one that leaves it as it was is not to blame for it")
  func completedURL() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "ok"), .expectEnd])
    let base = Adapter { request, _, completion in
      var request = request
      request.url = request.url.flatMap { URL(string: origin.url($0.absoluteString)) }
      completion(.success(request))
    }
    let session = Session(configuration: .patient)
    let whole = await session.request("/tape", interceptor: base).serializingString().response
    #expect(whole.value == "ok")
    #expect(whole.request?.url?.absoluteString == origin.url("/tape"))
    let refused = await session.request("/tape", interceptor: MarkInterceptor(mark: Mark(name: "own"))).serializingString()
      .response
    guard case .urlRequestValidationFailed(reason: .unsupportedScheme(nil, _))? = refused.error else {
      Issue.record("\(String(describing: refused.error))")
      return
    }
    #expect(refused.request?.headers["X-Mark"] == "own")
  }

  @Test("A request's own retrier is asked, without any other")
  func retrier() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond("503 Busy"), .expectRequest, .respond(body: "ok"), .expectEnd])
    let session = Session(configuration: .patient)
    let request = session.request(origin.url()).validate()
      .retry(using: RetryPolicy(exponentialBackoffScale: 0.001))
    let response = await request.serializingString().response
    #expect(response.value == "ok")
    #expect(request.retryCount == 1)
  }

  @Test("A request's own monitor hears of the request, and the session's of all", arguments: [true, false])
  func monitors(hasSessionMonitor: Bool) async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond(body: "ok"), .expectRequest, .respond(body: "ok"), .expectEnd])
    let (all, own) = (Listener(), Listener())
    let session = Session(configuration: .patient, eventMonitors: hasSessionMonitor ? [all] : [])
    _ = await session.request(origin.url()).eventMonitor(own).serializingString().response
    _ = await session.request(origin.url()).serializingString().response
    for listener in [own, all] { listener.queue.sync {} }
    try await own.wait(for: { own.events.contains("finished") && own.events.contains("parsed") })
    #expect(Set(own.events) == ["resumed", "completed", "finished", "parsed"])
    #expect(own.events.filter { $0 == "resumed" }.count == 1)
    guard hasSessionMonitor else { return }
    try await all.wait(for: { all.events.filter { $0 == "finished" }.count == 2 })
    #expect(all.events.filter { $0 == "resumed" }.count == 2)
    #expect(all.events.contains("data"))
  }

  // MARK: Traces

  @Test("Each attempt is a span of its request's trace, and the server is told")
  func traces() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond("503 Busy"), .expectRequest, .respond(body: "ok"), .expectEnd])
    let parent = try #require(
      TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "a=b"))
    let ended = Awaited<[RequestSpan]>()
    let spans = Mutex<[RequestSpan]>([])
    let tracer = RequestTracer(parent: { parent }) { span in
      let all = spans.withLock { spans in
        spans.append(span)
        return spans
      }
      if all.count == 2 { ended.take(all) }
    }
    let session = Session(
      configuration: .patient,
      interceptor: Interceptor(adapters: [tracer], retriers: [RetryPolicy(exponentialBackoffScale: 0.001)]),
      eventMonitors: [tracer])
    _ = await session.request(origin.url()).validate().serializingString().response
    let seen = try ended.wait()
    #expect(seen.map(\.context.traceID) == [parent.traceID, parent.traceID])
    #expect(seen.map(\.parent) == [parent, parent])
    #expect(seen[0].context.spanID != seen[1].context.spanID)
    #expect(seen.map { $0.error == nil } == [false, true])
    #expect(seen.map { $0.response?.statusCode } == [503, 200])
    #expect(origin.requests.map { $0.value(of: "traceparent") } == seen.map(\.context.traceparent))
    #expect(origin.requests.map { $0.value(of: "tracestate") } == ["a=b", "a=b"])
    #expect(seen.allSatisfy { $0.metrics?.transactions.count == 1 })
  }

  @Test("A request without a parent begins a trace, and one that names its own belongs to that")
  func roots() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond(), .expectRequest, .respond(), .expectEnd])
    let tracer = RequestTracer()
    let session = Session(configuration: .patient)
    _ = await session.request(origin.url()).adapt(using: tracer).eventMonitor(tracer).serializingData().response
    let root = try #require(origin.requests[0].value(of: "traceparent").flatMap { TraceContext(traceparent: $0) })
    #expect(root.isSampled)
    _ = await session.request(origin.url(), headers: ["traceparent": root.traceparent]).adapt(using: tracer)
      .serializingData().response
    let child = try #require(origin.requests[1].value(of: "traceparent").flatMap { TraceContext(traceparent: $0) })
    #expect(child.traceID == root.traceID)
    #expect(child.spanID != root.spanID)
  }

  @Test(
    "What is no traceparent names no place",
    arguments: ["", "00-00-00-00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"])
  func malformed(value: String) {
    #expect(TraceContext(traceparent: value) == nil)
  }
}

extension PerRequestTests.Listener {
  /// Waits for what is told on a queue that nobody else can wait for.
  fileprivate func wait(for condition: @escaping @Sendable () -> Bool) async throws {
    while !condition() { await withCheckedContinuation { done in queue.async { done.resume() } } }
  }
}
