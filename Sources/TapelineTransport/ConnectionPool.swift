internal import TapelineLoop
internal import TapelineTime

/// The idle upstream connections of one loop: carries out what `IdleConnections` decides. Loop-bound.
final class ConnectionPool: ConnectionStore {
  /// Is told of what becomes free.
  weak var places: ConnectionPlaces?
  private let loop: EventLoop
  private var idle: IdleConnections
  private var connections: [UInt64: UpstreamConnection] = [:]
  private var sweep: Timer?
  private let sweepNanoseconds: Int64?

  init(loop: EventLoop, limits: IdleConnections.Limits) {
    self.loop = loop
    idle = IdleConnections(limits: limits)
    sweepNanoseconds = limits.idleNanoseconds.map { max($0 / 4, 1_000_000) }
  }

  func take(for route: Route, at now: MonotonicInstant) -> UpstreamConnection? {
    guard let id = idle.take(for: route, at: now) else { return nil }
    guard let connection = connections.removeValue(forKey: id) else {
      preconditionFailure("the pool gave out a connection that it does not hold")
    }
    return connection
  }

  func put(_ connection: UpstreamConnection, at now: MonotonicInstant) {
    connections[connection.id] = connection
    if let surplus = idle.put(connection.id, for: connection.route, at: now) {
      close([surplus])
    }
    places?.didFree(connection.route)
    if sweep == nil { startSweeping() }
  }

  func peerDidEnd(_ connection: UpstreamConnection) {
    connections[connection.id] = nil
    idle.remove(connection.id, for: connection.route)
  }

  func closeAll() {
    sweep?.cancel()
    sweep = nil
    for connection in connections.values { connection.close() }
    connections = [:]
    idle = IdleConnections(limits: IdleConnections.Limits())
  }

  private func startSweeping() {
    guard let sweepNanoseconds else { return }
    let timer = Timer(loop: loop) { [weak self] in self?.expire() }
    timer.start(afterNanoseconds: sweepNanoseconds)
    sweep = timer
  }

  /// Closes the connection that has idled longest. Answers whether there was one.
  @discardableResult
  func closeOldest() -> Bool {
    guard let id = idle.takeOldest() else { return false }
    close([id])
    return true
  }

  /// Closes connections that have idled for too long.
  func expire() {
    close(idle.expire(at: .now))
    if idle.count > 0, let sweepNanoseconds {
      sweep?.start(afterNanoseconds: sweepNanoseconds)
    } else {
      sweep = nil
    }
  }

  private func close(_ ids: [UInt64]) {
    for id in ids {
      connections.removeValue(forKey: id)?.close()
    }
  }
}
