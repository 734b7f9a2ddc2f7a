internal import TapelineTLS

/// TLS sessions that may be resumed, of one loop's routes: the least recently used route is forgotten first.
///
/// A session of TLS 1.3 is given out once, since a ticket used twice tells an observer that two connections are one client's
/// (RFC 8446 C.4).
struct SessionCache {
  private struct Entry {
    /// Newest last.
    var sessions: [TLSSession]
    var lastUse: UInt64
  }

  /// Routes that are remembered.
  static let routeLimit = 256
  /// Sessions per route: servers give two or so per connection, and a browser opens six connections.
  static let sessionLimit = 8

  private var entries: [Route: Entry] = [:]
  private var uses: UInt64 = 0

  var routeCount: Int { entries.count }

  /// The newest session for `route`.
  mutating func take(for route: Route) -> TLSSession? {
    guard let index = entries.index(forKey: route) else { return nil }
    uses += 1
    entries.values[index].lastUse = uses
    guard let session = entries.values[index].sessions.last else { return nil }
    if session.isSingleUse { entries.values[index].sessions.removeLast() }
    return session
  }

  mutating func put(_ session: TLSSession, for route: Route) {
    uses += 1
    entries[route, default: Entry(sessions: [], lastUse: 0)].lastUse = uses
    entries[route]?.sessions.append(session)
    if let count = entries[route]?.sessions.count, count > Self.sessionLimit { entries[route]?.sessions.removeFirst() }
    if entries.count > Self.routeLimit { forgetLeastRecentlyUsed() }
  }

  private mutating func forgetLeastRecentlyUsed() {
    // A scan, once per full handshake with a new origin: nothing beside the handshake itself.
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return }
    entries[oldest] = nil
  }
}
