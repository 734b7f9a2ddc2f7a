internal import Dispatch
internal import Synchronization
package import TapelineCore
package import TapelineLoop
internal import TapelineTransport

/// The proxy: loops, each with its listeners and its session, from `start()` to `shutdown(gracePeriod:)`.
///
/// A handle for the main thread. Whatever happens to an exchange, `record` is called for it exactly once, on its loop.
package final class ProxyServer: Sendable {
  private struct State: Sendable {
    var shards: [LoopBound<LoopShard>] = []
    var addresses: [SocketAddress] = []
  }

  private let configuration: ProxyConfiguration
  private let record: @Sendable (consuming ExchangeRecord) -> Void
  private let group: EventLoopGroup
  private let resolver: Resolver
  private let lineages = SessionLineages()
  private let state = Mutex(State())
  /// One per loop.
  private let counters: [ActivityCounters]
  private let metrics: MetricsSource

  /// Starts the loops' threads; nothing listens yet.
  package init(
    configuration: ProxyConfiguration, record: @escaping @Sendable (consuming ExchangeRecord) -> Void
  ) throws(LoopError) {
    self.configuration = configuration
    self.record = record
    precondition(
      configuration.interception == nil || configuration.upstreamTLS != nil,
      "a proxy that intercepts must verify the origins as a client")
    group = try EventLoopGroup(threads: configuration.threads)
    counters = group.loops.map { _ in ActivityCounters() }
    metrics = MetricsSource(loops: group.loops, counters: counters, more: configuration.metrics)
    resolver = try Resolver()
  }

  /// The addresses on which the proxy listens, with real ports.
  package var addresses: [SocketAddress] {
    state.withLock { $0.addresses }
  }

  /// What the proxy is doing now; from any thread, without waiting.
  package var activity: ProxyActivity { metrics.activity }

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

  /// Listens on every configured address with every loop.
  ///
  /// - Throws: if it cannot listen on an address, for instance because another process does.
  package func start() throws(LoopError) {
    let addresses = try reserveAddresses()
    var shards: [LoopBound<LoopShard>] = []
    for (loop, counters) in zip(group.loops, counters) {
      shards.append(try startShard(on: loop, addresses: addresses, activity: counters))
    }
    let started = shards
    state.withLock { $0 = State(shards: started, addresses: addresses) }
  }

  /// Stops accepting, waits up to the grace period for exchanges in flight, cancels the rest (which is recorded), ends the
  /// threads. Later calls do nothing.
  package func shutdown(gracePeriod: Duration) {
    let shards = state.withLock { state in
      defer { state.shards = [] }
      return state.shards
    }
    // Nothing else holds the shards: an optimised build would release them before the wait.
    defer { withExtendedLifetime(shards) {} }
    let drained = DispatchGroup()
    for shard in shards {
      drained.enter()
      shard.loop.execute { shard.value.shutdown(gracePeriod: gracePeriod) { drained.leave() } }
    }
    drained.wait()
    resolver.shutdown()
    group.shutdown()
  }

  /// Finds the real ports, and makes sure that nobody else listens there: the loops' own listeners share their port
  /// (SO_REUSEPORT), so a second proxy of the same user could otherwise slip in unnoticed.
  private func reserveAddresses() throws(LoopError) -> [SocketAddress] {
    var addresses: [SocketAddress] = []
    for address in configuration.listen {
      addresses.append(try Listener.reserve(address))
    }
    return addresses
  }

  private func startShard(
    on loop: EventLoop, addresses: [SocketAddress], activity: ActivityCounters
  ) throws(LoopError) -> LoopBound<LoopShard> {
    let configuration = configuration
    let resolver = resolver
    let lineages = lineages
    let record = record
    let metrics = metrics
    let result = loop.executeAndWait { () -> Result<LoopBound<LoopShard>, LoopError> in
      let shard = LoopShard(
        loop: loop, resolver: resolver, lineages: lineages, configuration: configuration, addresses: addresses,
        activity: activity, metrics: metrics,
        record: record)
      do throws(LoopError) {
        try shard.listen()
        return .success(LoopBound(shard, on: loop))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
