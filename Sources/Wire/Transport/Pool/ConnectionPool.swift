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
  private let sweepPause: Duration?
  /// The idle connections among `shared`.
  private var idleShared: [UInt64: HTTP2UpstreamConnection] = [:]
  private(set) lazy var shared = SharedConnections(
    onIdle: { [weak self] in self?.didIdle($0) }, onUse: { [weak self] in self?.didLeaveIdle($0) })
  let idleTime: Duration?

  init(loop: EventLoop, limits: IdleConnections.Limits) {
    self.loop = loop
    idle = IdleConnections(limits: limits)
    idleTime = limits.idleTime
    sweepPause = limits.idleTime.map { max($0 / 4, .milliseconds(1)) }
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

  private func didIdle(_ connection: HTTP2UpstreamConnection) {
    didLeaveIdle(connection)
    idleShared[connection.id] = connection
    if let surplus = idle.put(connection.id, for: connection.route, at: .now, isShared: true) { close([surplus]) }
    places?.didFree(connection.route)
  }

  /// The connection is used again, or has ended.
  private func didLeaveIdle(_ connection: HTTP2UpstreamConnection) {
    guard idleShared.removeValue(forKey: connection.id) != nil else { return }
    idle.remove(connection.id, for: connection.route)
  }

  func peerDidEnd(_ connection: UpstreamConnection) {
    connections[connection.id] = nil
    idle.remove(connection.id, for: connection.route)
  }

  var takesUnsentOutput: Bool { false }

  func originGoesAway() {}

  func originOffersExtendedConnect() {}

  func originDidOmitCloseNotify() {}

  func sharedConnectionDidEnd() {}

  func closeAll() {
    shared.close()
    sweep?.cancel()
    sweep = nil
    for connection in connections.values { connection.close() }
    connections = [:]
    idleShared = [:]
    idle = IdleConnections(limits: IdleConnections.Limits())
  }

  private func startSweeping() {
    guard let sweepPause else { return }
    let timer = Timer(loop: loop) { [weak self] in self?.expire() }
    timer.start(after: sweepPause)
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
    if idle.count > 0, let sweepPause {
      sweep?.start(after: sweepPause)
    } else {
      sweep = nil
    }
  }

  private func close(_ ids: [UInt64]) {
    for id in ids {
      connections.removeValue(forKey: id)?.close()
      idleShared.removeValue(forKey: id)?.close()
    }
  }
}

/// Keeps upstream connections that idle between exchanges, and hears of it when one of them ends. Loop-bound.
///
/// There are two: `ConnectionPool`, which all tasks of a loop share, and `PairedConnections`, which belong to one client
/// connection.
protocol ConnectionStore: AnyObject {
  /// An idle connection to `route`, taken out of the store.
  func take(for route: Route, at now: MonotonicInstant) -> UpstreamConnection?
  /// Keeps a connection whose exchange ended exactly at its framing.
  func put(_ connection: UpstreamConnection, at now: MonotonicInstant)
  /// Forgets a connection that its peer ended while it was idle.
  func peerDidEnd(_ connection: UpstreamConnection)
  /// Whether a connection may idle here before its last request has left. The next one would wait behind it.
  var takesUnsentOutput: Bool { get }

  /// The connections that carry many tasks at the same time.
  var shared: SharedConnections { get }
  /// How long one of them may idle; `nil`: as long as its peer likes.
  var idleTime: Duration? { get }
  /// The origin of one of them takes no more requests on it.
  func originGoesAway()
  /// The origin of one of them takes extended CONNECTs (RFC 8441 3).
  func originOffersExtendedConnect()
  /// The origin of one of them has ended it without close_notify.
  func originDidOmitCloseNotify()
  /// One of them has ended.
  func sharedConnectionDidEnd()
}

/// The upstream connections that belong to one client connection. They stay open only while the client keeps its own open.
///
/// A client that opens a connection pays for a connection to the origin. If it keeps its connection, it finds the origin's kept,
/// as it would without a proxy between them. A connection to a proxy can carry requests to several origins: each route has a
/// place here.
///
/// Safety: `@unchecked Sendable` because a request, which any thread may hold, refers to it. Everything in it is touched only on
/// the loop of the client connection.
package final class PairedConnections: ConnectionStore, @unchecked Sendable {
  /// The client's own TLS handshake, which the handshake with the origin follows. `nil` until it has taken place.
  package var handshake: ClientHandshake?
  /// Is told what becomes of the connections.
  package var onEvent: ((Event) -> Void)?

  package enum Event {
    /// The peer has ended an idle connection, and no other one is left.
    case lastDidEnd
    /// An origin takes no more requests on an HTTP/2 connection; those in flight go on (RFC 9113 6.8).
    case goesAway
    /// An origin has offered extended CONNECT (RFC 8441 3).
    case offersExtendedConnect
  }

  /// Whether an origin has ended a connection without close_notify: the client's ends likewise.
  package private(set) var hasOmittedCloseNotify = false

  /// Made on first use: most clients have no connection that carries many tasks.
  private var madeShared: SharedConnections?
  var idleTime: Duration? { nil }
  /// Oldest first; rarely more than one.
  private var idle: [UpstreamConnection] = []
  private var isOpen = true

  /// The most routes that idle. A client that goes on to other origins on the same connection holds no more than this many.
  private static let limit = 16

  package init() {}

  /// Whether no connection idles here.
  package var isEmpty: Bool { idle.isEmpty && madeShared?.isEmpty ?? true }

  var shared: SharedConnections {
    if let madeShared { return madeShared }
    let shared = SharedConnections()
    if !isOpen { shared.close() }
    madeShared = shared
    return shared
  }

  /// The client's connection has ended: idle connections end now, busy ones when their exchange is over.
  ///
  /// - Parameter omitsCloseNotify: whether the client's did so without close_notify.
  package func close(omitsCloseNotify: Bool = false) {
    isOpen = false
    onEvent = nil
    let connections = idle
    idle = []
    for connection in connections {
      if omitsCloseNotify { connection.link?.omitCloseNotify() }
      connection.close()
    }
    madeShared?.close()
  }

  func take(for route: Route, at now: MonotonicInstant) -> UpstreamConnection? {
    guard let index = idle.lastIndex(where: { $0.route == route }) else { return nil }
    return idle.remove(at: index)
  }

  func put(_ connection: UpstreamConnection, at now: MonotonicInstant) {
    guard isOpen else { return connection.close() }
    hasOmittedCloseNotify = false
    idle.append(connection)
    if idle.count > Self.limit { idle.removeFirst().close() }
  }

  func peerDidEnd(_ connection: UpstreamConnection) {
    idle.removeAll { $0 === connection }
    if isEmpty { onEvent?(.lastDidEnd) }
  }

  /// The next request is of the same client, and would wait in the same way without us.
  var takesUnsentOutput: Bool { true }

  func originGoesAway() { onEvent?(.goesAway) }

  func originOffersExtendedConnect() { onEvent?(.offersExtendedConnect) }

  func originDidOmitCloseNotify() { hasOmittedCloseNotify = true }

  func sharedConnectionDidEnd() {
    if isEmpty { onEvent?(.lastDidEnd) }
  }
}
