package import TapelineHTTP
package import TapelineLoop
package import TapelineTLS
internal import TapelineTime

/// The real transport: upstream connections on libevent, kept for their client or reused through a pool. Loop-bound.
package final class NetworkTransport: Transport {
  /// If a time is `nil`, there is no limit: then the kernel finds out whether the peer is still alive.
  package struct Configuration: Sendable {
    /// For TCP, and once more for TLS.
    package var connectTimeout: Duration? = .seconds(10)
    /// From the last request byte, or the last 1xx, to the end of the next response head.
    package var responseTimeout: Duration? = .seconds(300)
    /// Longest silence while bytes are owed, and longest life of an idle connection.
    package var idleTimeout: Duration? = .seconds(60)
    package var limits = HTTPLimits.standard
    package var idleConnections = IdleConnections.Limits()
    /// Limits of the connections that all tasks share: tasks beyond them wait. `nil`: there are as many connections as there are
    /// tasks, and a task for which there is no descriptor fails.
    package var places: ConnectionPlaces.Limits?
    /// Addresses that must never be reached: our own listeners. Otherwise a request could go round for ever.
    package var refusedPeers: [SocketAddress] = []
    /// Addresses that a route must not lead to, by whatever name. They do not include an upstream proxy's own addresses.
    package var prohibits: (@Sendable (SocketAddress, Route) -> Bool)?
    /// Where a route's connections lead instead, if elsewhere: to an origin that the user has named.
    package var placement: (@Sendable (Route) -> (host: String, port: UInt16)?)?
    /// How origins are reached, if not directly.
    package var upstreamProxy: UpstreamProxy?
    /// Our pseudonym, in messages that are forwarded for clients to another proxy.
    package var pseudonym = Pseudonym.unique()
    /// Whether origins are told of us as well.
    package var namesItself = false
    /// The sessions of all loops' clients.
    package var lineages = SessionLineages()
    /// Whether origins are spoken to in HTTP/2 if they agree: if ALPN agrees on it (RFC 9113 3.2), or if a client speaks it in
    /// clear (RFC 9113 3.3).
    package var speaksHTTP2 = false
    /// For routes with TLS; without it they fail.
    package var tls: TLSClientContext?
    /// Why there is no context.
    package var tlsFailure: TLSError?
    /// The credentials for a server that asks who we are.
    package var clientCredentials: (@Sendable (_ serverName: String) -> TLSCredentials?)?
    /// Makes the evaluator that judges a server. `nil` leaves the judgement to OpenSSL. A thrown error fails the task before the
    /// server hears of us.
    package var peerEvaluator: (@Sendable (_ serverName: String) throws -> PeerEvaluator?)?

    package init() {}
  }

  package let loop: EventLoop
  package let resolver: Resolver
  package let configuration: Configuration
  /// The buffer into which each receive on any of the loop's TLS connections is decrypted.
  package let plaintextBuffer = PlaintextBuffer()
  let pool: ConnectionPool
  private(set) var places: ConnectionPlaces?
  var sessions = SessionCache<Route>()
  var versions = OriginVersions()
  /// Routes whose origins seem to speak HTTP/2 alone.
  private(set) var http2Routes: Set<Route> = []
  let proxyAuthorization: ProxyAuthorization

  package init(loop: EventLoop, resolver: Resolver, configuration: Configuration) {
    self.loop = loop
    self.resolver = resolver
    self.configuration = configuration
    proxyAuthorization = ProxyAuthorization(configuration.upstreamProxy?.credential)
    pool = ConnectionPool(loop: loop, limits: configuration.idleConnections)
    places = configuration.places.map { limits in
      ConnectionPlaces(loop: loop, limits: limits, pool: pool) { [unowned self] task in goOn(task) }
    }
    pool.places = places
  }

  /// Closes idle connections. Busy connections end with their tasks.
  package func shutdown() {
    loop.preconditionCurrent()
    pool.closeAll()
  }

  // MARK: Transport

  package func start(_ task: SessionTask) {
    loop.preconditionCurrent()
    begin(task)
  }

  /// Begins an exchange, the task's first or a later one, or its stream.
  func begin(_ task: SessionTask) {
    let now = MonotonicInstant.now
    task.beginAttempt(at: now)
    carryOut(task, at: now)
  }

  /// Goes on with an attempt that has no connection yet.
  private func carryOut(_ task: SessionTask, at now: MonotonicInstant) {
    task.carrier = nil
    switch task.work {
    case .exchange(let request):
      if request.framing == .chunked, let version = versions[nextHop(of: request)], version < .http11 {
        gather(for: task)
      } else {
        carry(task, request, at: now)
      }
    case .stream(_, on: let prepared, via: _):
      if let connection = prepared?.take() {
        connection.beginPrepared(task)
      } else {
        open(for: task)
      }
    }
  }

  private func carry(_ task: SessionTask, _ request: OutgoingRequest, at now: MonotonicInstant) {
    if let connection = request.prepared?.take() {
      connection.beginPrepared(task)
    } else if sharesConnection(task, request), shares(task, request) {
      return
    } else if let places, let route = sharedRoute(of: task), !places.isNext(task, at: route) {
      return
    } else if !speaksHTTP2InClear(task, request), let connection = takeIdle(for: request, at: now) {
      connection.begin(task)
    } else {
      open(for: task)
    }
  }

  /// The server does not understand chunks: the body is held until its length is known, and no connection waits for it.
  fileprivate func gather(for task: SessionTask) {
    let limit = configuration.limits.heldContent
    task.gathered.isAwaited = true
    switch task.gatherBody(atMost: limit, keepsTrailers: false) {
    case .whole:
      guard case .exchange(let request) = task.work else { preconditionFailure("only an exchange has a body") }
      task.carrier = nil
      carry(task, request, at: .now)
    case .unfinished:
      task.carrier = BodyGathering(task, transport: self)
    case .tooLong:
      task.complete(with: .lengthRequired(by: task.route, limit: limit))
    }
  }

  /// Puts the task on a connection that carries others, or has it wait for one. Answers whether there is one.
  private func shares(_ task: SessionTask, _ request: OutgoingRequest) -> Bool {
    let shared = store(of: request).shared
    if let connection = shared.find(request.route) {
      connection.begin(task)
      return true
    }
    return shared.awaitsOpening(task, to: request.route)
  }

  /// Whether the task could go with others on an HTTP/2 connection, if there is one.
  func sharesConnection(_ task: SessionTask, _ request: OutgoingRequest) -> Bool {
    guard configuration.speaksHTTP2, task.offer != .http1, !request.needsHTTP1 else { return false }
    return request.route.security != .none || speaksHTTP2InClear(task, request)
  }

  /// A client that speaks HTTP/2 in clear knows that the origin does (RFC 9113 3.3).
  func speaksHTTP2InClear(_ task: SessionTask, _ request: OutgoingRequest) -> Bool {
    guard configuration.speaksHTTP2, task.offer != .http1, request.priorKnowledge, request.route.security == .none else {
      return false
    }
    guard proxy(for: request.route) == nil else { return false }
    return !store(of: request).shared.isSingle(request.route)
  }

  /// Goes on with tasks whose connection is gone before they had it: the attempt is the same.
  func reconsider(_ task: SessionTask) {
    guard task.isUnderWay else { return }
    goOn(task)
  }

  /// Carries out an attempt that has waited.
  private func goOn(_ task: SessionTask) {
    let now = MonotonicInstant.now
    task.metrics.didWait(until: now)
    carryOut(task, at: now)
  }

  /// Keeps a session that an origin gave, for the connections that may resume it.
  func keep(_ session: TLSSession, of handshake: ClientHandshake?, to route: Route) {
    if let handshake {
      configuration.lineages.put(session, of: handshake, to: route)
    } else {
      sessions.put(session, for: route)
    }
  }

  func noteHTTP2Route(_ route: Route) {
    if http2Routes.count >= OriginVersions.limit { http2Routes = [] }
    http2Routes.insert(route)
  }

  /// A reused connection turned out to be dead before the origin said anything: the task tries once more, on a new one.
  func restart(_ task: SessionTask) {
    task.beginAttempt(at: .now)
    task.carrier = nil
    open(for: task)
  }

  package func offersExtendedConnect(on route: Route) -> Bool {
    pool.shared.find(route)?.offersExtendedConnect ?? false
  }

  // MARK: Ways

  /// The store where the connections of a request idle: its client's own, or the one that all tasks share.
  func store(of request: OutgoingRequest) -> any ConnectionStore { request.connections ?? pool }

  private func takeIdle(for request: OutgoingRequest, at now: MonotonicInstant) -> UpstreamConnection? {
    let store = store(of: request)
    if let connection = store.take(for: request.route, at: now) { return connection }
    guard let proxy = proxy(for: request.route), forwards(request) else { return nil }
    return store.take(for: Route(forwardingBy: proxy), at: now)
  }

  /// The next hop that answers the request: the origin, or the proxy that forwards it.
  private func nextHop(of request: OutgoingRequest) -> Route {
    guard let proxy = proxy(for: request.route), forwards(request) else { return request.route }
    return Route(forwardingBy: proxy)
  }

  /// Opens a connection of the task's own, unless the task must wait for a place.
  func open(for task: SessionTask) {
    let leadsToProxy = proxy(for: task.route) != nil
    guard let places, let route = sharedRoute(of: task) else {
      let route = if case .exchange(let request) = task.work { nextHop(of: request) } else { task.route }
      return UpstreamOpening(route: route, throughProxy: leadsToProxy, transport: self).connect(for: task)
    }
    guard places.admits(task, to: route) else { return }
    let opening = UpstreamOpening(route: route, throughProxy: leadsToProxy, transport: self)
    opening.places = places
    opening.connect(for: task)
  }

  /// The route of the task's connection, if all tasks share it; `nil` for a connection that is not shared.
  private func sharedRoute(of task: SessionTask) -> Route? {
    guard case .exchange(let request) = task.work, request.connections == nil else { return nil }
    return nextHop(of: request)
  }

  /// Makes a task wait whose connection failed for want of a descriptor, if it may wait for one.
  func awaitsDescriptor(_ task: SessionTask, after error: TransportError) -> Bool {
    guard let places, error.kind == .tooManyFiles else { return false }
    task.carrier = nil
    return places.awaitsDescriptor(task)
  }

  private func proxy(for route: Route) -> UpstreamProxy? {
    guard let proxy = configuration.upstreamProxy, configuration.placement?(route) == nil else { return nil }
    return proxy.exceptions.matches(host: route.host, port: route.port) ? nil : proxy
  }

  /// Whether an upstream proxy forwards the request. Otherwise it opens a tunnel: for a request that it must not see, or that may
  /// switch to a protocol it does not know (RFC 6455 4.1).
  private func forwards(_ request: OutgoingRequest) -> Bool {
    configuration.upstreamProxy?.scheme == .http && request.route.security == .none && !request.allowsUpgrade
  }
}

/// Holds a task until its body is complete, which no connection waits for.
private final class BodyGathering: TaskCarrier {
  private unowned let task: SessionTask
  private unowned let transport: NetworkTransport

  let reached = TransportError.Phase.connect

  init(_ task: SessionTask, transport: NetworkTransport) {
    self.task = task
    self.transport = transport
  }

  func pumpBody() {
    transport.gather(for: task)
  }
}
