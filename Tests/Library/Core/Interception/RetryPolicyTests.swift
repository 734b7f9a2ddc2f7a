import TapelineLoop
import TapelineTLS
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct RetryPolicyTests {
  /// What the policy says of a request that has met `status` or `error`.
  private func decision(
    of policy: RetryPolicy, method: HTTPMethod = .get, status: Int? = nil, error: TransportError? = nil
  ) throws -> RetryResult {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url, method: method)
    let awaited = request.awaitedOutcome()
    if let status { try harness.head(status) }
    try harness.complete(error)
    let outcome = try awaited.wait()
    let result = Awaited<RetryResult>()
    policy.retry(request, for: harness.session, dueTo: outcome.error ?? serializationFailure()) { result.take($0) }
    return try result.wait()
  }

  private func failure(_ kind: TransportError.Kind, in phase: TransportError.Phase = .wait) -> TransportError {
    TransportError(origin: .upstream, phase: phase, kind: kind, message: "")
  }

  @Test("The defaults: limit 2, base 2, scale 0.5, idempotent methods, five status codes")
  func defaults() {
    let policy = RetryPolicy()
    #expect(policy.retryLimit == 2)
    #expect(policy.exponentialBackoffBase == 2)
    #expect(policy.exponentialBackoffScale == 0.5)
    #expect(policy.retryableHTTPMethods == [.get, .head, .put, .delete, .options, .trace])
    #expect(policy.retryableHTTPStatusCodes == [408, 500, 502, 503, 504])
    #expect(policy.retryableFailures == RetryPolicy.defaultRetryableFailures)
  }

  @Test("Only statuses of the set are retried", arguments: [408, 500, 502, 503, 504, 200, 404, 501])
  func statuses(status: Int) throws {
    let result = try decision(of: RetryPolicy(), status: status)
    #expect(result.delay == (RetryPolicy.defaultRetryableHTTPStatusCodes.contains(status) ? 0.5 : nil))
  }

  @Test("A POST is never retried")
  func methods() throws {
    #expect(try decision(of: RetryPolicy(), method: .post, status: 503).delay == nil)
    #expect(try decision(of: RetryPolicy(), method: .put, status: 503).delay == 0.5)
  }

  @Test("Failures that may not last are retried")
  func failures() throws {
    let retried: [TransportError.Kind] = [.refused, .timedOut, .reset, .nameNotFound, .resolverFailure, .certificate(.expired)]
    for kind in retried { #expect(try decision(of: RetryPolicy(), error: failure(kind)).delay == 0.5, "\(kind)") }
    let final: [TransportError.Kind] = [.certificate(.selfSigned), .loopDetected, .permissionDenied]
    for kind in final { #expect(try decision(of: RetryPolicy(), error: failure(kind)).delay == nil, "\(kind)") }
  }

  @Test("The policy for lost connections retries only lost connections")
  func lostConnections() throws {
    let policy = ConnectionLostRetryPolicy()
    #expect(try decision(of: policy, error: failure(.reset)).delay == 0.5)
    #expect(try decision(of: policy, error: failure(.closed, in: .receive)).delay == 0.5)
    #expect(try decision(of: policy, error: failure(.reset, in: .connect)).delay == nil)
    #expect(try decision(of: policy, error: failure(.timedOut)).delay == nil)
    #expect(try decision(of: policy, status: 503).delay == nil)
  }

  @Test("The waits grow by the base, and end at the limit")
  func backingOff() throws {
    let delays = Protected<[Double]>([])
    let policy = RetryPolicy(retryLimit: 3, exponentialBackoffBase: 3, exponentialBackoffScale: 0.001)
    let harness = try CoreHarness(
      interceptor: Retrier { request, session, error, completion in
        policy.retry(request, for: session, dueTo: error) { result in
          if let delay = result.delay { delays.write { $0.append(delay) } }
          completion(result)
        }
      })
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome(retries: false)
    for index in 0..<4 { try harness.complete(CoreHarness.refused, of: index) }
    #expect(try awaited.wait().error != nil)
    #expect(request.retryCount == 3)
    #expect(delays.wrappedValue.map { ($0 * 1e6).rounded() } == [1_000, 3_000, 9_000])
  }

  @Test("A failure that was made by hand is retried by its code", arguments: [true, false])
  func byCode(isWrapped: Bool) throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.complete(nil)
    _ = try awaited.wait()
    let codes: [SessionTaskError.Code] = [.timedOut, .notConnectedToInternet, .cancelled, .unknown]
    let retried = codes.map { code in
      let error = SessionTaskError(code)
      return RetryPolicy().shouldRetry(request: request, dueTo: isWrapped ? TapelineError.sessionTaskFailed(error: error) : error)
    }
    #expect(retried == [true, true, false, false])
    #expect(
      RetryPolicy.defaultRetryableURLErrorCodes.isSuperset(of: [.timedOut, .notConnectedToInternet, .networkConnectionLost]))
    #expect(RetryPolicy(retryableURLErrorCodes: [.timedOut]).retryableURLErrorCodes == [.timedOut])
  }

  @Test("The policies have short names")
  func shortNames() throws {
    let harness = try CoreHarness(interceptor: .retryPolicy)
    #expect((harness.session.interceptor as? RetryPolicy)?.retryLimit == 2)
    let other = try CoreHarness(interceptor: .connectionLostRetryPolicy)
    #expect(other.session.interceptor is ConnectionLostRetryPolicy)
    let own = try CoreHarness(interceptor: .retryPolicy(retryLimit: 9))
    #expect((own.session.interceptor as? RetryPolicy)?.retryLimit == 9)
  }
}

extension RetryResult {
  fileprivate var delay: Double? {
    switch self {
    case .retryWithDelay(let delay): delay
    case .retry: 0
    case .doNotRetry, .doNotRetryWithError: nil
    }
  }
}
