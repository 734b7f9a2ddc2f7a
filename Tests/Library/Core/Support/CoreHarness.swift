import Dispatch
import FoundationEssentials
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// A session on a loop of its own with a scripted transport: nothing happens on the wire but what the test says.
final class CoreHarness: Sendable {
  private let group: EventLoopGroup
  private let held: Mutex<Session?>
  private let bound: LoopBound<ScriptedTransport>
  let engine: SessionEngine
  /// For handlers of the tests' own.
  let callbacks = DispatchQueue(label: "callbacks")

  /// - Parameter headers: of the session; none, so that a test sees what it has set.
  convenience init(
    headers: HTTPHeaders = HTTPHeaders(), configure: (inout SessionConfiguration) -> Void = { _ in },
    delegate: SessionDelegate = SessionDelegate(), startRequestsImmediately: Bool = true,
    requestSetup: Session.RequestSetup = .lazy, requestQueue: DispatchQueue? = nil, serializationQueue: DispatchQueue? = nil,
    callbackQueue: DispatchQueue? = nil, interceptor: (any RequestInterceptor)? = nil,
    redirectHandler: (any RedirectHandler)? = nil, eventMonitors: [any EventMonitor] = []
  ) throws {
    var configuration = SessionConfiguration()
    configuration.headers = headers
    configure(&configuration)
    let settings = configuration
    try self.init { loop, transport in
      Session(
        loop: loop, transport: transport, configuration: settings, delegate: delegate,
        startRequestsImmediately: startRequestsImmediately, requestSetup: requestSetup, requestQueue: requestQueue,
        serializationQueue: serializationQueue, callbackQueue: callbackQueue, interceptor: interceptor,
        redirectHandler: redirectHandler, eventMonitors: eventMonitors)
    }
  }

  /// The session of a proxy: everything on the loop.
  static func forwarding() throws -> CoreHarness {
    try CoreHarness { loop, transport in Session(loop: loop, transport: transport) }
  }

  private init(_ makeSession: @escaping @Sendable (EventLoop, ScriptedTransport) -> Session) throws {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let made = loop.executeAndWait { () -> (Session, LoopBound<ScriptedTransport>) in
      let transport = ScriptedTransport()
      return (makeSession(loop, transport), LoopBound(transport, on: loop))
    }
    self.group = group
    engine = made.0.engine
    held = Mutex(made.0)
    bound = made.1
  }

  deinit {
    group.shutdown()
  }

  var session: Session {
    guard let session = held.withLock({ $0 }) else { preconditionFailure("the test has released its session") }
    return session
  }

  /// Lets go of the session, as its user would.
  func releaseSession() {
    let session = held.withLock { session in
      defer { session = nil }
      return session
    }
    withExtendedLifetime(session) {}
  }

  var loop: EventLoop { group.loops[0] }

  // MARK: The loop

  /// Runs `body` on the loop with the scripted transport, after what was asked before.
  func onLoop<Value: Sendable>(_ body: @escaping @Sendable (ScriptedTransport) throws -> Value) throws -> Value {
    try loop.executeAndWait { [bound] in Result { try body(bound.value) } }.get()
  }

  /// Waits until everything that was under way in the session's contexts, and what followed from it, is done.
  func settle() {
    for _ in 0..<12 {
      for context in [engine.requestContext, engine.root, engine.serializationContext, engine.root] {
        let done = DispatchSemaphore(value: 0)
        context.async { done.signal() }
        done.wait()
      }
    }
    engine.callbackQueue.sync {}
    callbacks.sync {}
  }

  // MARK: The wire

  /// The task that was started as the `index`-th, once it was.
  func task(_ index: Int = 0) throws -> SessionTask {
    let signal = try onLoop { $0.startSignal }
    while true {
      if let task = try onLoop({ $0.started.dropFirst(index).first }) { return task }
      try #require(signal.wait(timeout: .now() + 120) == .success, "no task was started")
    }
  }

  /// Whether the transport was asked for no task, even after all is settled.
  func startedCount() throws -> Int {
    settle()
    return try onLoop { $0.started.count }
  }

  /// Delivers the head of a response to a task.
  @discardableResult
  func head(_ status: Int = 200, _ fields: HeaderFields = HeaderFields(), of index: Int = 0) throws -> ResponseDisposition {
    let task = try task(index)
    return try onLoop { _ in task.didReceive(ResponseHead(status: status, fields: fields)) }
  }

  /// Delivers a piece of a body.
  @discardableResult
  func body(_ text: String, of index: Int = 0) throws -> Demand {
    let task = try task(index)
    return try onLoop { _ in
      let bytes = Array(text.utf8)
      return task.didReceive(bytes.span, at: .now)
    }
  }

  /// Completes a task.
  func complete(_ error: TransportError? = nil, of index: Int = 0) throws {
    let task = try task(index)
    try onLoop { _ in task.complete(with: error) }
  }

  /// A whole response: head, body, end.
  func answer(_ status: Int = 200, _ fields: HeaderFields = HeaderFields(), body: String? = nil, to index: Int = 0) throws {
    try head(status, fields, of: index)
    if let body { try self.body(body, of: index) }
    try complete(of: index)
  }

  static let refused = TransportError(origin: .upstream, phase: .connect, kind: .refused, message: "refused")
  static let url = "http://origin.example/"

  static func get(_ url: String = CoreHarness.url) throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .get, target: url), framing: .none, route: Route(host: "origin.example", port: 80))
  }
}
