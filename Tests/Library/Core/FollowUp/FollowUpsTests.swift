import Dispatch
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Decisions of the follow-ups, event by event, on a scripted transport.
@Suite struct FollowUpsTests {
  @Test("A redirection gives its task another exchange, and nothing of the response is delivered")
  func redirection() throws {
    let harness = try CoreHarness()
    let request = harness.session.request("http://origin.example/one")
    let awaited = request.awaitedOutcome()
    let first = try harness.task(0)
    #expect(try harness.head(302, ["Location": "/two"]) == .later)
    let second = try harness.task(1)
    #expect(second === first)
    #expect(try harness.onLoop { _ in second.requestHead?.targetText } == "http://origin.example/two")
    #expect(try harness.onLoop { _ in second.originalRequestHead?.targetText } == "http://origin.example/one")
    try harness.answer(200, body: "here", to: 1)
    let outcome = try awaited.wait()
    #expect(outcome.value == "here")
    #expect(outcome.response?.statusCode == 200)
    #expect(outcome.timing.metrics?.redirectCount == 1)
    #expect(request.tasks.count == 1)
  }

  @Test("A redirection that a handler declines is delivered after the handler's answer")
  func notFollowed() throws {
    let harness = try CoreHarness(redirectHandler: .doNotFollow)
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    #expect(try harness.head(302, ["Location": "/two"]) == .later)
    harness.settle()
    try harness.body("moved")
    try harness.complete()
    let outcome = try awaited.wait()
    #expect(outcome.response?.statusCode == 302)
    #expect(outcome.value == "moved")
    #expect(try harness.startedCount() == 1)
  }

  @Test("A response that is neither redirection nor challenge arrives at once", arguments: [200, 204, 300, 304, 401, 407, 500])
  func plain(status: Int) throws {
    let harness = try CoreHarness()
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    #expect(try harness.head(status) == .proceed)
    try harness.complete()
    #expect(try awaited.wait().response?.statusCode == status)
  }

  @Test("A challenge is answered with the same task")
  func challenge() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url).authenticate(username: "me", password: "secret")
    let awaited = request.awaitedOutcome()
    #expect(try harness.head(401, ["WWW-Authenticate": "Basic realm=r"]) == .later)
    let task = try harness.task(1)
    #expect(try harness.onLoop { _ in task.requestHead?.fields.first(of: .authorization) } == "Basic bWU6c2VjcmV0")
    try harness.answer(200, body: "here", to: 1)
    #expect(try awaited.wait().value == "here")
  }

  @Test("The proxy's requests have no follow-ups")
  func forwarded() throws {
    let harness = try CoreHarness.forwarding()
    final class Owner: TaskOwner {
      func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .proceed }
      func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand { .more }
      func task(_ task: SessionTask, didCompleteWith error: TransportError?) {}
    }
    try harness.onLoop { [session = harness.session] _ in
      try session.forward(try CoreHarness.get(), for: Owner()).resume()
    }
    #expect(try harness.head(302, ["Location": "/two"]) == .proceed)
    try harness.complete()
  }

  // MARK: With a host of the test's own

  private func receive(
    _ status: Int, _ fields: HeaderFields, from host: StubHost, method: HTTPMethod = .put, on harness: CoreHarness
  ) throws -> ResponseDisposition? {
    let request = try URLRequest(url: CoreHarness.url, method: method)
    return try harness.onLoop { transport in
      let followUps = FollowUps(
        host: host, authentication: AuthenticationSession(), redirectHandler: nil,
        credential: Credential(user: "me", password: "secret"), storage: CredentialStorage(), maximumRedirects: 20)
      _ = followUps.prepare(request)
      let task = SessionTask(
        taskIdentifier: 1, work: .exchange(try request.outgoing()), loop: host.loop, transport: transport, events: SilentEvents())
      task.resume()
      let response = HTTPURLResponse(head: ResponseHead(status: status, fields: fields), request: try request.head())
      return followUps.receive(response, of: task) { _ in .proceed }
    }
  }

  @Test("RFC 9110 15.4.8: a body that cannot be sent again ends the redirection with an error that says so")
  func notReplayable() throws {
    let harness = try CoreHarness()
    let host = StubHost(loop: harness.loop, context: harness.engine.requestContext, renewsBody: false)
    #expect(try receive(307, ["Location": "/two"], from: host, on: harness) == .later)
    guard case .redirectionFailed(reason: .bodyNotReplayable) = host.failure else {
      Issue.record("\(String(describing: host.failure))")
      return
    }
    #expect(try harness.onLoop { $0.cancelled } == [1])
  }

  @Test("RFC 9110 15.4.4: a body that is not sent again need not be renewed")
  func notNeeded() throws {
    let harness = try CoreHarness()
    let host = StubHost(loop: harness.loop, context: harness.engine.requestContext, renewsBody: false)
    #expect(try receive(303, ["Location": "/two"], from: host, on: harness) == .later)
    #expect(host.failure == nil)
    #expect(try harness.onLoop { $0.started.count } == 2)
  }

  @Test("A body that cannot be sent again makes the 401 the response")
  func challengeNotReplayable() throws {
    let harness = try CoreHarness()
    let host = StubHost(loop: harness.loop, context: harness.engine.requestContext, renewsBody: false)
    #expect(try receive(401, ["WWW-Authenticate": "Basic realm=r"], from: host, on: harness) == nil)
    #expect(host.failure == nil)
  }
}

private final class StubHost: FollowUpHost {
  let loop: EventLoop
  let followUpContext: any SerialContext
  private let renewsBody: Bool
  private let kept = Mutex<TapelineError?>(nil)

  init(loop: EventLoop, context: any SerialContext, renewsBody: Bool) {
    self.loop = loop
    followUpContext = context
    self.renewsBody = renewsBody
  }

  var failure: TapelineError? { kept.withLock { $0 } }

  func outgoing(for request: URLRequest) throws -> OutgoingRequest { try request.outgoing() }

  func renewBody() -> Bool { renewsBody }

  func willFollow(_ request: URLRequest, after response: HTTPURLResponse) {}

  func didFailToFollow(_ error: TapelineError) { kept.withLock { $0 = error } }
}

/// Hears nothing of the task.
private final class SilentEvents: SessionTaskEvents {
  func taskDidOpenStream(_ task: SessionTask) {}
  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {}
  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .proceed }
  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand { .more }
  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {}
  func taskDidReceiveEnd(_ task: SessionTask) {}
  func taskDidUpgrade(_ task: SessionTask) {}
  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk { .end }
  func taskTrailers(_ task: SessionTask) -> HeaderFields? { nil }
  func task(_ task: SessionTask, didSendBody count: Int) {}
  func taskCanSendMore(_ task: SessionTask) {}
  func taskDidGatherMetrics(_ task: SessionTask) {}
  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {}
}
