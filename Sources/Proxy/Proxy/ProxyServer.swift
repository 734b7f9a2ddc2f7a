internal import Dispatch
internal import Synchronization
package import TapelineCore
package import TapelineLoop
internal import TapelineTransport

/// The proxy: loops, each with its listeners and its session, from `start()` to `shutdown(gracePeriod:)`.
///
/// A handle for the main thread. Whatever happens to an exchange, its loop's recorder gets it exactly once.
package final class ProxyServer: Sendable {
  private struct State: Sendable {
    var shards: [LoopBound<LoopShard>] = []
    var addresses: [SocketAddress] = []
    var reverse: [ReverseListener] = []
    var shared: [SharedListeningSocket] = []
  }

  private let configuration: ProxyConfiguration
  private let makeRecorder: @Sendable () -> any LoopRecorder
  private let group: EventLoopGroup
  private let resolver: Resolver
  private let lineages = SessionLineages()
  private let state = Mutex(State())
  /// One per loop.
  let counters: [ActivityCounters]
  private let metrics: MetricsSource
  private let knownNames = KnownNames()

  /// Starts the loops' threads; nothing listens yet.
  ///
  /// - Parameter makeRecorder: called once on each loop, for the loop's own recorder.
  package init(
    configuration: ProxyConfiguration, makeRecorder: @escaping @Sendable () -> any LoopRecorder
  ) throws(LoopError) {
    self.configuration = configuration
    self.makeRecorder = makeRecorder
    precondition(
      configuration.interception == nil || configuration.upstreamTLS != nil,
      "a proxy that intercepts must verify the origins as a client")
    group = try EventLoopGroup(threads: configuration.threads, clock: configuration.clock)
    counters = group.loops.map { _ in ActivityCounters() }
    metrics = MetricsSource(loops: group.loops, counters: counters, more: configuration.metrics)
    resolver = try Resolver()
  }

  /// The rules at present; `nil`: never any.
  package var rules: InjectionRules? { configuration.rules?() }

  /// The addresses on which the proxy listens as a proxy, with real ports.
  package var addresses: [SocketAddress] {
    state.withLock { $0.addresses }
  }

  /// The addresses that lead to one origin each, with real ports.
  package var reverse: [ReverseListener] {
    state.withLock { $0.reverse }
  }

  /// The paths of the local sockets on which the proxy listens.
  package var paths: [String] {
    state.withLock { $0.shared.compactMap(\.path) }
  }

  /// The proxy's present work; from any thread, without waiting.
  package var activity: ProxyActivity { metrics.activity }

  /// Counts of the questions for names of a network's programs. Any thread.
  package var nameQuestions: NameQuestions { knownNames.questions }

  /// The exchanges and tunnels whose request is here and that are not recorded yet, as far as they have come. Each will be
  /// recorded.
  ///
  /// Call it from any thread but the loops', for which it waits, and not during `shutdown`.
  package func exchangesInFlight() -> [ExchangeRecord] {
    let shards = state.withLock(\.shards)
    return shards.flatMap { shard in
      shard.loop.executeAndWait { shard.value.exchangesInFlight() }
    }
  }

  /// Has every exchange that has ended handed on before it returns.
  ///
  /// Call it where `exchangesInFlight` may be called.
  package func handOnEnded() {
    for shard in state.withLock(\.shards) {
      shard.loop.executeAndWait { shard.value.finishTurn() }
    }
  }

  /// Listens at every configured place with every loop.
  ///
  /// - Throws: if it cannot listen at one of them, for instance because another process does.
  package func start() throws(LoopError) {
    let started = try startedState()
    state.withLock { $0 = started }
  }

  private func startedState() throws(LoopError) -> State {
    var state = State()
    for (number, address) in configuration.listen.enumerated() {
      state.addresses.append(try Listener.reserve(address, keptName: ListeningPlace.keptName(number, loop: 0)))
    }
    for (index, listener) in configuration.reverse.enumerated() {
      let name = ListeningPlace.keptName(configuration.listen.count + index, loop: 0)
      state.reverse.append(
        ReverseListener(address: try Listener.reserve(listener.address, keptName: name), origin: listener.origin))
    }
    for path in configuration.listenPaths { state.shared.append(try SharedListeningSocket(path: path)) }
    for descriptor in configuration.listenDescriptors {
      let socket = try SharedListeningSocket(handedOver: descriptor)
      if let address = socket.address { state.addresses.append(address) }
      state.shared.append(socket)
    }
    let places =
      configuration.listen.indices.map {
        ListeningPlace(socket: .address(state.addresses[$0]), entrance: .proxy, number: $0)
      }
      + state.reverse.enumerated().map { index, listener in
        ListeningPlace(
          socket: .address(listener.address), entrance: .origin(listener.origin), number: configuration.listen.count + index)
      }
      + state.shared.map { ListeningPlace(socket: .shared($0), entrance: .proxy) }
    for (number, (loop, counters)) in zip(group.loops, counters).enumerated() {
      state.shards.append(try startShard(on: loop, number, state, places, activity: counters))
    }
    let all = zip(state.shards, counters).map { Neighbour(shard: $0, activity: $1) }
    for (index, shard) in state.shards.enumerated() {
      var others = all
      others.remove(at: index)
      shard.loop.executeAndWait { [others] in shard.value.meet(others) }
    }
    return state
  }

  /// Serves the programs of a network as well: their questions for names on one loop, and there their connections too, if these
  /// are held back until their servers have been reached; else on every loop. Call it after `start`, and not during `shutdown`.
  package func serve(_ network: NetworkSockets) throws(LoopError) {
    let places = try network.listeners.map { (socket) throws(LoopError) in
      ListeningPlace(socket: .shared(try SharedListeningSocket(sharing: socket)), entrance: .network)
    }
    for (index, shard) in state.withLock(\.shards).enumerated() {
      let result = shard.loop.executeAndWait { () -> Result<Void, LoopError> in
        Result { () throws(LoopError) in
          if index == 0, let packets = network.packets { try shard.value.holdConnections(queuedBy: packets) }
          if index == 0 || network.packets == nil { try shard.value.listen(at: places) }
          try shard.value.relayNames(of: network, isFirst: index == 0)
        }
      }
      try result.get()
    }
  }

  /// Stops accepting, waits up to the grace period for exchanges in flight, cancels the rest (which is recorded), ends the
  /// threads. Later calls do nothing.
  package func shutdown(gracePeriod: Duration) {
    let (shards, shared) = state.withLock { state in
      defer { state.shards = [] }
      return (state.shards, state.shared)
    }
    // Nothing else holds the shards: an optimised build would release them before the wait.
    defer { withExtendedLifetime(shards) {} }
    let drained = DispatchGroup()
    for socket in shared { socket.remove() }
    for shard in shards {
      drained.enter()
      shard.loop.execute { shard.value.shutdown(gracePeriod: gracePeriod) { drained.leave() } }
    }
    drained.wait()
    resolver.shutdown()
    group.shutdown()
  }

  private func startShard(
    on loop: EventLoop, _ number: Int, _ state: State, _ places: [ListeningPlace], activity: ActivityCounters
  ) throws(LoopError) -> LoopBound<LoopShard> {
    let addresses = state.addresses
    let originAddresses = state.reverse.map(\.address)
    let configuration = configuration
    let resolver = resolver
    let lineages = lineages
    let makeRecorder = makeRecorder
    let metrics = metrics
    let knownNames = knownNames
    let result = loop.executeAndWait { () -> Result<LoopBound<LoopShard>, LoopError> in
      let shard = LoopShard(
        loop: loop, number: number, resolver: resolver, lineages: lineages, configuration: configuration, addresses: addresses,
        originAddresses: originAddresses, activity: activity, metrics: metrics, knownNames: knownNames, recorder: makeRecorder())
      do throws(LoopError) {
        try shard.listen(at: places)
        return .success(LoopBound(shard, on: loop))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
