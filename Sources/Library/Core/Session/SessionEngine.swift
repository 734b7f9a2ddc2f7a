package import Dispatch
internal import Synchronization
internal import TapelineLoop
internal import TapelineTransport

/// The loop's side of a session: its contexts, its transport, and its active requests.
///
/// Every request holds its engine, so loop and queues outlive the `Session` as long as any of its requests exists: a handler
/// that is attached late still has a place to run.
///
/// Safety: `@unchecked Sendable` because any thread may hold it. Members marked "in the root context" are touched there only;
/// all else is constant.
package final class SessionEngine: @unchecked Sendable {
  /// Where a session's tasks run, or why they cannot.
  enum Carrier {
    case loop(EventLoop, LoopBound<any Transport>)
    /// A recorder gets every exchange.
    case recorded(EventLoop, LoopBound<any Transport>, LoopBound<SessionLog>)
    case none(TransportError)
  }

  /// Where all state of requests changes: the loop.
  package let root: any SerialContext
  /// Where requests are made: convertibles, adapters, upload bodies.
  package let requestContext: any SerialContext
  /// Where serializers run.
  package let serializationContext: any SerialContext
  /// Where handlers that name no queue run.
  package let callbackQueue: DispatchQueue
  package let configuration: SessionConfiguration
  package let delegate: SessionDelegate
  /// `nil` when nobody listens.
  package let eventMonitor: CompositeEventMonitor?
  private let carrier: Carrier
  private let thread: NetworkThread?

  /// The knowledge gained from challenges. In the root context.
  let authentication = AuthenticationSession()
  /// Connections that were opened ahead of the requests that will use them. In the root context.
  var prewarmed: [Route: PreparedConnection] = [:]
  /// The library's requests from their start to their end, retries included.
  private var active: [UInt64: Request] = [:]
  private let activity = Atomic<Int>(0)
  private let lastTaskIdentifier = Atomic<Int>(0)

  init(
    carrier: Carrier, thread: NetworkThread?, contexts: SessionContexts, configuration: SessionConfiguration,
    delegate: SessionDelegate, eventMonitors: [any EventMonitor]
  ) {
    // Without monitors this is `nil`, rather than a composite that tells nobody.
    eventMonitor = eventMonitors.isEmpty ? nil : CompositeEventMonitor(monitors: eventMonitors)
    switch carrier {
    case .loop(let loop, _), .recorded(let loop, _, _):
      root = LoopContext(loop)
      precondition(!delegate.isTaken, "a session delegate belongs to one session")
      delegate.isTaken = true
      delegate.eventMonitor = eventMonitor
    case .none:
      root = DispatchContext(label: SessionContexts.rootLabel)
    }
    self.carrier = carrier
    self.thread = thread
    requestContext = contexts.request ?? root
    serializationContext = contexts.serialization ?? root
    callbackQueue = contexts.callbackQueue
    self.configuration = configuration
    self.delegate = delegate
  }

  deinit {
    thread?.end()
  }

  /// Requests of the library that have been started and have not ended. From any thread.
  package var activeRequestCount: Int { activity.load(ordering: .acquiring) }

  /// Tasks that have not ended. In the root context.
  package var taskCount: Int { delegate.taskCount }

  // MARK: Active requests, in the root context

  func insert(_ request: Request) {
    if active.updateValue(request, forKey: request.id) == nil { activity.wrappingAdd(1, ordering: .releasing) }
  }

  func remove(_ request: Request) {
    if active.removeValue(forKey: request.id) != nil { activity.wrappingSubtract(1, ordering: .releasing) }
  }

  /// The active requests.
  var activeRequests: Set<Request> { Set(active.values) }

  /// The session is gone: its active requests end. From any thread.
  ///
  /// - Parameter isTold: whether those who listen to the session are told here; a session may have had two engines.
  func sessionDidEnd(isTold: Bool) {
    guard activeRequestCount > 0 || eventMonitor != nil || delegate.endOverride != nil else { return }
    root.async { [self] in
      for request in active.values.sorted(by: { $0.id < $1.id }) { request.sessionDidEnd() }
      guard isTold else { return }
      let error: SessionTaskError? = if case .none(let error) = carrier { SessionTaskError(error) } else { nil }
      eventMonitor?.sessionDidBecomeInvalid(withError: error)
      delegate.endOverride?(error)
    }
  }

  /// Cancels all active requests. In the root context.
  func cancelAll() {
    for request in active.values.sorted(by: { $0.id < $1.id }) { request.cancel() }
  }

  // MARK: Tasks, in the root context

  /// Makes a task that has no owner yet.
  func makeTask(_ work: SessionTask.Work) throws(TransportError) -> SessionTask {
    switch carrier {
    case .loop(let loop, let transport):
      makeTask(work, on: loop, transport.value, telling: delegate)
    case .recorded(let loop, let transport, let log):
      makeTask(work, on: loop, transport.value, telling: RecordedTask(log: log.value, listener: delegate))
    case .none(let error):
      throw error
    }
  }

  private func makeTask(
    _ work: SessionTask.Work, on loop: EventLoop, _ transport: any Transport, telling listener: any SessionTaskEvents
  ) -> SessionTask {
    SessionTask(
      taskIdentifier: lastTaskIdentifier.wrappingAdd(1, ordering: .relaxed).newValue, work: work, loop: loop,
      transport: transport, events: listener)
  }

  /// Makes a task for a stream that is given up once it is open; it is never recorded.
  func makeStream(to route: Route) throws(TransportError) -> SessionTask {
    switch carrier {
    case .loop(let loop, let transport), .recorded(let loop, let transport, _):
      makeTask(.stream(route), on: loop, transport.value, telling: delegate)
    case .none(let error):
      throw error
    }
  }

  /// Whether a connection to the route stands on which its server offers WebSocket (RFC 8441 3).
  func offersExtendedConnect(on route: Route) -> Bool {
    switch carrier {
    case .loop(_, let transport), .recorded(_, let transport, _): transport.value.offersExtendedConnect(on: route)
    case .none: false
    }
  }

  /// Makes `owner` hear of all events of the task.
  func associate(_ owner: any TaskOwner, with task: SessionTask) {
    precondition(task.owner == nil, "two owners share a task")
    delegate.setOwner(owner, of: task)
  }
}

/// Where the code of a session's user runs, apart from its event monitors. `nil` means the loop.
struct SessionContexts {
  fileprivate static let rootLabel = "tapeline.session.rootQueue"

  let rootQueue: DispatchQueue?
  let request: DispatchContext?
  let serialization: DispatchContext?
  let callbackQueue: DispatchQueue

  /// The session's own queues, or serial queues on top of those given. No queue is the main queue by default: a program whose
  /// main thread waits for its requests would wait for ever.
  init(
    rootQueue: DispatchQueue?, requestQueue: DispatchQueue?, serializationQueue: DispatchQueue?, callbackQueue: DispatchQueue?
  ) {
    self.rootQueue = rootQueue
    func context(on queue: DispatchQueue?, _ label: String) -> DispatchContext {
      queue.map { DispatchContext($0) } ?? DispatchContext(label: Self.rootLabel + label, target: rootQueue)
    }
    request = context(on: requestQueue, ".requestQueue")
    serialization = context(on: serializationQueue, ".serializationQueue")
    self.callbackQueue = callbackQueue ?? DispatchQueue(label: Self.rootLabel + ".callbackQueue")
  }

  private init() {
    rootQueue = nil
    request = nil
    serialization = nil
    callbackQueue = DispatchQueue(label: Self.rootLabel + ".callbackQueue")
  }

  /// Everything on the loop, as the proxy needs it.
  static var loopOnly: SessionContexts { SessionContexts() }
}

/// The parts that a session of the library does not share: a loop on its own thread, a resolver, and the transport between
/// them.
final class NetworkThread: Sendable {
  let loop: EventLoop
  let transport: LoopBound<NetworkTransport>
  private let group: EventLoopGroup
  private let resolver: Resolver

  /// - Throws: when the process has no more threads or descriptors.
  init(configuration: NetworkTransport.Configuration) throws(LoopError) {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let resolver: Resolver
    do throws(LoopError) {
      resolver = try Resolver(threads: 2)
    } catch {
      group.shutdown()
      throw error
    }
    transport = loop.executeAndWait {
      LoopBound(NetworkTransport(loop: loop, resolver: resolver, configuration: configuration), on: loop)
    }
    self.group = group
    self.loop = loop
    self.resolver = resolver
  }

  /// Ends the thread, from another thread: the last reference may be released on the loop, which cannot wait for its own end.
  func end() {
    DispatchQueue.global(qos: .utility).async { [self] in
      loop.execute { [transport] in transport.value.shutdown() }
      resolver.shutdown()
      group.shutdown()
    }
  }
}
