import Dispatch
import FoundationEssentials
import TapelineHTTP
import TapelineLoop
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct SessionTests {
  @Test("AF is the single default session, whose thread starts with its first request")
  func theDefaultSession() {
    #expect(AF === Session.default)
    #expect(Session.default === SessionManager.default)
    #expect(Session.default.startRequestsImmediately)
    #expect(Session.default.requestSetup == .lazy)
    #expect(Session.default.eventMonitors.isEmpty)
    #expect(Session.default.interceptor == nil)
  }

  @Test("A session has its delegate, which knows its session")
  func aSessionHasItsDelegate() throws {
    let delegate = SessionDelegate()
    let harness = try CoreHarness(delegate: delegate)
    #expect(harness.session.delegate === delegate)
    #expect(harness.session.engine === harness.engine)
  }

  @Test("The contexts are serial and labelled, and wrap given queues")
  func contextsAreLabelled() throws {
    let plain = try CoreHarness()
    let request = try #require(plain.engine.requestContext as? DispatchContext)
    let serialization = try #require(plain.engine.serializationContext as? DispatchContext)
    #expect(request.queue.label == "tapeline.session.rootQueue.requestQueue")
    #expect(serialization.queue.label == "tapeline.session.rootQueue.serializationQueue")
    #expect(plain.session.callbackQueue.label == "tapeline.session.rootQueue.callbackQueue")
    let given = try CoreHarness(
      requestQueue: DispatchQueue(label: "a", attributes: .concurrent),
      serializationQueue: DispatchQueue(label: "b", attributes: .concurrent), callbackQueue: DispatchQueue(label: "c"))
    #expect((given.engine.requestContext as? DispatchContext)?.queue.label == "a")
    #expect((given.engine.serializationContext as? DispatchContext)?.queue.label == "b")
    #expect(given.session.callbackQueue.label == "c")
    let awaited = given.session.request(CoreHarness.url).awaitedOutcome()
    try given.answer(body: "x")
    #expect(try awaited.wait().value == "x")
  }

  @Test("Without monitors, the monitor is nil; a composite keeps its monitors in order")
  func noMonitorsMeansNil() throws {
    let none = try CoreHarness()
    #expect(none.engine.eventMonitor == nil)
    #expect(none.session.delegate.eventMonitor == nil)
    let monitors: [any EventMonitor] = [EventRecorder(EventLog()), ClosureEventMonitor()]
    let some = try CoreHarness(eventMonitors: monitors)
    let composite = try #require(some.engine.eventMonitor)
    #expect(composite.monitors.count == 2)
    #expect(composite.monitors[0] is EventRecorder)
    #expect(composite.monitors[1] is ClosureEventMonitor)
  }

  @Test("A handler gets the head, the body and the times; the body's pieces are put together")
  func aResponseIsDelivered() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    _ = try harness.task()
    #expect(request.data == nil)
    try harness.head(200, ["Server": "test"])
    #expect(request.data == nil)
    #expect(request.response?.statusCode == 200)
    try harness.body("hel")
    #expect(request.data == Data("hel".utf8))
    try harness.body("lo")
    try harness.complete()
    let outcome = try awaited.wait()
    #expect(outcome.text == "hello")
    #expect(outcome.error == nil)
    #expect(outcome.response?.headers.value(for: "server") == "test")
    #expect(outcome.timing.metrics != nil)
    #expect(request.description == "GET http://origin.example/ (200)")
    #expect(request.isFinished)
  }

  @Test("The body of a response without bytes is nil, also when the request failed")
  func noBodyIsNil() throws {
    let harness = try CoreHarness()
    let awaited = harness.session.request(CoreHarness.url).awaitedOutcome()
    try harness.head()
    try harness.complete(CoreHarness.refused)
    let outcome = try awaited.wait()
    #expect(outcome.data == nil)
    #expect(outcome.error?.transportFailure == .cannotConnectToHost)
  }

  @Test("At the end the registry is empty, no request is active, and nothing holds one")
  func nothingIsLeft() throws {
    let harness = try CoreHarness()
    weak var released: DataRequest?
    weak var releasedDelegate: TaskDelegate?
    do {
      let request = harness.session.request(CoreHarness.url)
      released = request
      releasedDelegate = request.delegate
      let awaited = request.awaitedOutcome()
      let task = try harness.task()
      let delegate = harness.session.delegate
      let engine = harness.engine
      try harness.onLoop { _ in
        #expect(delegate[task] === request)
        #expect(engine.taskCount == 1)
      }
      #expect(harness.session.activeRequestCount == 1)
      try harness.answer()
      _ = try awaited.wait()
      harness.settle()
      try harness.onLoop { _ in
        #expect(delegate[task] == nil)
        #expect(engine.taskCount == 0)
      }
    }
    harness.settle()
    #expect(harness.session.activeRequestCount == 0)
    #expect(released == nil)
    #expect(releasedDelegate == nil)
  }

  @Test("After a retry the old task's key is gone")
  func aRetryLeavesNoKeyBehind() throws {
    let harness = try CoreHarness(
      interceptor: Retrier { request, _, _, completion in
        completion(request.retryCount < 2 ? .retry : .doNotRetry)
      })
    weak var released: DataRequest?
    do {
      let request = harness.session.request(CoreHarness.url)
      released = request
      let awaited = request.awaitedOutcome()
      for index in 0..<3 { try harness.complete(CoreHarness.refused, of: index) }
      _ = try awaited.wait()
    }
    harness.settle()
    let engine = harness.engine
    #expect(try harness.onLoop { _ in engine.taskCount } == 0)
    #expect(released == nil)
  }

  @Test("Handlers without a queue run on the session's callback queue, and come while the main thread waits")
  func handlersNeverNeedTheMainQueue() throws {
    let harness = try CoreHarness()
    let key = DispatchSpecificKey<String>()
    harness.session.callbackQueue.setSpecific(key: key, value: "callbacks")
    let seen = Awaited<String?>()
    harness.session.request(CoreHarness.url).outcome { _ in seen.take(DispatchQueue.getSpecific(key: key)) }
    try harness.answer()
    #expect(try seen.wait() == "callbacks")
  }

  @Test("4: all requests of a session are cancelled at once")
  func cancellingAll() throws {
    let harness = try CoreHarness()
    let awaited = (0..<3).map { _ in harness.session.request(CoreHarness.url).awaitedOutcome() }
    _ = try harness.task(2)
    let done = DispatchSemaphore(value: 0)
    harness.session.cancelAllRequests { done.signal() }
    done.wait()
    for outcome in awaited { #expect(try outcome.wait().error?.isExplicitlyCancelledError == true) }
  }

  @Test("The session's settings reach the transport")
  func settingsReachTheTransport() {
    var configuration = SessionConfiguration()
    configuration.connectTimeout = 1.5
    configuration.responseTimeout = 2
    configuration.idleTimeout = 0.25
    configuration.httpMaximumConnectionsPerHost = 3
    let network = configuration.network
    #expect(network.connectTimeout == .milliseconds(1_500))
    #expect(network.responseTimeout == .seconds(2))
    #expect(network.idleTimeout == .milliseconds(250))
    #expect(network.idleConnections.perRoute == 3)
    #expect(TimeInterval.infinity.duration == .seconds(1_000_000_000))
    #expect(TimeInterval.nan.duration == .zero)
  }
}
