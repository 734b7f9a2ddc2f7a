import TapelineHTTP
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// The points where a kind of request differs from the others.
@Suite struct RequestSubclassTests {
  private struct Refusal: Error {}

  /// Writes down when it is asked for what. Its log is thread-safe; it adds no other state.
  private final class Logging: DataRequest, @unchecked Sendable {
    let log: EventLog
    let failsToPrepare: Bool

    init(log: EventLog, failsToPrepare: Bool = false, scope: RequestScope) throws {
      self.log = log
      self.failsToPrepare = failsToPrepare
      let request = try URLRequest(url: CoreHarness.url, method: .post)
      super.init(convertible: request, delegate: DataTaskDelegate(), scope: scope)
    }

    override func urlRequest() throws -> URLRequest {
      log.add("request \(engine.requestContext.isCurrent)")
      return try super.urlRequest()
    }

    override func prepare(_ request: URLRequest) throws -> URLRequest {
      log.add("prepare \(engine.requestContext.isCurrent)")
      if failsToPrepare { throw Refusal() }
      var prepared = request
      prepared.headers.update(name: "Prepared", value: "yes")
      return prepared
    }

    override func outgoing(for request: URLRequest) throws -> OutgoingRequest {
      log.add("outgoing \(engine.root.isCurrent)")
      return try request.outgoing(framing: .chunked)
    }

    override func reset() {
      super.reset()
      log.add("reset \(engine.root.isCurrent)")
    }

    override func cleanup() {
      super.cleanup()
      log.add("cleanup \(engine.root.isCurrent)")
    }
  }

  @Test(
    "Each kind makes its body in the request context and its task on the loop, for every attempt; then it cleans up"
  )
  func thePointsOfAKind() throws {
    let harness = try CoreHarness(
      interceptor: Retrier { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) })
    let log = EventLog()
    let request = try Logging(log: log, scope: harness.session.scope())
    let awaited = request.awaitedOutcome()
    let head = try #require(try harness.task().requestHead)
    #expect(head.fields.values(named: "Prepared") == ["yes"])
    try harness.complete(CoreHarness.refused)
    try harness.answer(to: 1)
    _ = try awaited.wait()
    harness.settle()
    let attempt = ["request true", "prepare true", "outgoing true"]
    #expect(log.all == attempt + ["reset true"] + attempt + ["cleanup true"])
    #expect(request.request?.headers.value(for: "Prepared") == "yes")
  }

  @Test("A failed preparation is create-uploadable-failed, and may be retried")
  func whatCannotBePrepared() throws {
    let harness = try CoreHarness()
    let request = try Logging(log: EventLog(), failsToPrepare: true, scope: harness.session.scope())
    guard case .createUploadableFailed(let error) = try request.awaitedOutcome().wait().error else {
      return #expect(Bool(false))
    }
    #expect(error is Refusal)
    #expect(try harness.startedCount() == 0)
  }
}
