internal import TapelineHTTP
internal import TapelineBase
package import TapelineTime

/// Which idle connections may be used again: the pool's decisions, as a value without I/O or clock.
///
/// The newest connection of a route is reused first, so that the others grow old and go. Connections that carry many tasks count
/// here while they carry none, and are found elsewhere (`SharedConnections`). `ConnectionPool` carries out what this decides.
package struct IdleConnections: Sendable {
  package struct Limits: Sendable {
    /// Idle connections kept per route.
    package var perRoute = 128
    /// Idle connections kept in all.
    package var total = 512
    /// How long a connection may idle; `nil`: as long as its peer likes.
    package var idleTime: Duration? = .seconds(60)

    package init() {}
  }

  private struct Entry: Sendable {
    let id: UInt64
    let since: MonotonicInstant
    let isShared: Bool
  }

  private let limits: Limits
  /// `limits.idleTime`, converted once: it is compared for every exchange.
  private let idleNanoseconds: Int64?
  /// Per route, oldest first.
  private var routes: [Route: [Entry]] = [:]
  package private(set) var count = 0

  package init(limits: Limits) {
    self.limits = limits
    idleNanoseconds = limits.idleTime?.nanoseconds
  }

  /// The connection to reuse for `route`; it is idle no longer. A connection that has idled too long is never given out.
  package mutating func take(for route: Route, at now: MonotonicInstant) -> UInt64? {
    guard let index = routes.index(forKey: route),
      let newest = routes.values[index].lastIndex(where: { !$0.isShared }),
      // If the newest is too old, all are; the next expiry collects them.
      !isOld(routes.values[index][newest], at: now)
    else { return nil }
    count -= 1
    return routes.values[index].remove(at: newest).id
  }

  /// Puts a connection back. If there are too many then, answers the one to close: the given one or an older one.
  ///
  /// - Parameter isShared: whether it carries many tasks, and is not taken out for one.
  package mutating func put(
    _ id: UInt64, for route: Route, at now: MonotonicInstant, isShared: Bool = false
  ) -> UInt64? {
    guard count < limits.total else { return id }
    let surplus = routes[route, default: []].append(Entry(id: id, since: now, isShared: isShared), keepingAtMost: limits.perRoute)
    if surplus == nil { count += 1 }
    return surplus?.id
  }

  /// Forgets a connection that ended while idle.
  package mutating func remove(_ id: UInt64, for route: Route) {
    guard let index = routes[route]?.firstIndex(where: { $0.id == id }) else { return }
    routes[route]?.remove(at: index)
    count -= 1
    if routes[route]?.isEmpty == true { routes[route] = nil }
  }

  /// Takes out the connection that has idled longest, for closing.
  package mutating func takeOldest() -> UInt64? {
    let oldest = routes.compactMap { route, entries in entries.first.map { (route: route, entry: $0) } }.min {
      $0.entry.since < $1.entry.since
    }
    guard let oldest else { return nil }
    remove(oldest.entry.id, for: oldest.route)
    return oldest.entry.id
  }

  /// Takes out every connection that has idled too long, for closing.
  package mutating func expire(at now: MonotonicInstant) -> [UInt64] {
    var expired: [UInt64] = []
    for (route, entries) in routes {
      let young = entries.drop { isOld($0, at: now) }
      guard young.count < entries.count || entries.isEmpty else { continue }
      expired += entries.prefix(entries.count - young.count).map(\.id)
      routes[route] = young.isEmpty ? nil : Array(young)
    }
    count -= expired.count
    return expired
  }

  private func isOld(_ entry: Entry, at now: MonotonicInstant) -> Bool {
    guard let idleNanoseconds else { return false }
    return now.nanoseconds(since: entry.since) >= idleNanoseconds
  }
}

extension Array {
  /// Appends an element. If there are more than `limit` then, takes out the first one and answers it.
  fileprivate mutating func append(_ element: Element, keepingAtMost limit: Int) -> Element? {
    append(element)
    return count > limit ? removeFirst() : nil
  }
}

/// The HTTP version in which each server last answered, for one loop. It tells whether the server understands chunks
/// (RFC 9112 6.1).
///
/// The least recently noted server is forgotten first, and is then like one never met.
struct OriginVersions {
  /// Servers that are remembered.
  static let limit = 1024

  private var versions = BoundedTable<Route, HTTPVersion>(limit: limit)

  var count: Int { versions.count }

  subscript(route: Route) -> HTTPVersion? { versions[route] }

  mutating func note(_ version: HTTPVersion, of route: Route) {
    versions[route] = version
  }
}
