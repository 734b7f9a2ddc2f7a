internal import TapelineLoop
internal import TapelineTime

/// The protocols that ALPN offers for a task (RFC 7301).
enum ProtocolOffer: Hashable, Sendable {
  /// The client's offer, or all that we speak.
  case usual
  /// HTTP/1.1 alone: the origin requires it for this request, or the request is for an upgrade.
  case http1
  /// HTTP/2 too, although the client does not speak it: the origin speaks nothing else.
  case http2
}

/// The connections of one store that carry many tasks at the same time, and the tasks that wait for one to be opened. Loop-bound.
final class SharedConnections {
  private var connections: [HTTP2UpstreamConnection] = []
  /// The tasks that wait for the opening of a connection that may turn out to speak HTTP/2.
  private var openings: [Route: [SessionTask]] = [:]
  /// Routes whose origins chose HTTP/1.1 when they had the choice: nobody waits for the opening of a connection to them.
  private var singleRoutes: Set<Route> = []
  /// The store's owner has gone: connections end with their last streams.
  private var isOpen = true
  /// Is told when one of the connections idles.
  private let onIdle: (HTTP2UpstreamConnection) -> Void
  /// Is told when one of the connections is used, or has left.
  private let onUse: (HTTP2UpstreamConnection) -> Void

  /// More routes than this are forgotten together.
  private static let routeLimit = 1024

  init(
    onIdle: @escaping (HTTP2UpstreamConnection) -> Void = { _ in }, onUse: @escaping (HTTP2UpstreamConnection) -> Void = { _ in }
  ) {
    self.onIdle = onIdle
    self.onUse = onUse
  }

  /// Whether no connection stands.
  var isEmpty: Bool { connections.isEmpty }

  /// A connection that takes another request.
  func find(_ route: Route) -> HTTP2UpstreamConnection? {
    connections.last { $0.route == route && $0.takesRequests }
  }

  func add(_ connection: HTTP2UpstreamConnection) { connections.append(connection) }

  func remove(_ connection: HTTP2UpstreamConnection) {
    connections.removeAll { $0 === connection }
    onUse(connection)
  }

  func didIdle(_ connection: HTTP2UpstreamConnection) {
    if isOpen { onIdle(connection) } else { connection.retire() }
  }

  func willUse(_ connection: HTTP2UpstreamConnection) { onUse(connection) }

  /// Ends all connections, each with its last stream. No task comes after this.
  func close() {
    isOpen = false
    let all = connections
    connections = []
    for connection in all { connection.retire() }
  }

  // MARK: Openings

  /// Makes the task wait if a connection is being opened that it may be able to share.
  func awaitsOpening(_ task: SessionTask, to route: Route) -> Bool {
    guard openings[route] != nil else { return false }
    openings[route]?.append(task)
    return true
  }

  /// A connection is being opened that may turn out to speak HTTP/2. Answers whether others wait for it: not if there is
  /// another one, or if the origin is known to choose HTTP/1.1.
  func beginOpening(_ route: Route) -> Bool {
    guard openings[route] == nil, !singleRoutes.contains(route) else { return false }
    openings[route] = []
    return true
  }

  /// The route's origin has chosen HTTP/1.1.
  func noteSingle(_ route: Route) {
    if singleRoutes.count >= Self.routeLimit { singleRoutes = [] }
    singleRoutes.insert(route)
  }

  func isSingle(_ route: Route) -> Bool { singleRoutes.contains(route) }

  /// Returns the tasks that have waited.
  ///
  /// - Parameter isSingle: the origin has chosen HTTP/1.1; `nil` if it chose nothing.
  func endOpening(_ route: Route, isSingle: Bool?) -> [SessionTask] {
    switch isSingle {
    case true?: noteSingle(route)
    case false?: singleRoutes.remove(route)
    case nil: break
    }
    return (openings.removeValue(forKey: route) ?? []).filter(\.isUnderWay)
  }
}
