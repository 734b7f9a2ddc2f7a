internal import Synchronization
internal import TapelineTLS

/// TLS sessions that may be resumed, each under a key: a route, or a client's connection to it. The least recently used key is
/// forgotten first.
///
/// A session of TLS 1.3 is given out once, since a ticket used twice tells an observer that two connections are one client's
/// (RFC 8446 C.4).
struct SessionCache<Key: Hashable & Sendable>: Sendable {
  private struct Entry: Sendable {
    /// Newest last.
    var sessions: [TLSSession]
    var lastUse: UInt64
  }

  /// Sessions per key: servers give two or so per connection, and a browser opens six connections.
  static var sessionLimit: Int { 8 }

  private let keyLimit: Int
  private var entries: [Key: Entry] = [:]
  private var uses: UInt64 = 0

  /// - Parameter keyLimit: how many keys are remembered.
  init(keyLimit: Int = 256) {
    self.keyLimit = keyLimit
  }

  var keyCount: Int { entries.count }

  /// The newest session under `key`. A session that can be used only once is removed.
  mutating func take(for key: Key) -> TLSSession? {
    let session = newest(for: key)
    if session?.isSingleUse == true { entries[key]?.sessions.removeLast() }
    return session
  }

  /// The newest session under `key`.
  mutating func newest(for key: Key) -> TLSSession? {
    guard let index = entries.index(forKey: key) else { return nil }
    uses += 1
    entries.values[index].lastUse = uses
    return entries.values[index].sessions.last
  }

  mutating func put(_ session: TLSSession, for key: Key) {
    uses += 1
    entries[key, default: Entry(sessions: [], lastUse: 0)].lastUse = uses
    entries[key]?.sessions.append(session)
    if let count = entries[key]?.sessions.count, count > Self.sessionLimit { entries[key]?.sessions.removeFirst() }
    if entries.count > keyLimit { forgetLeastRecentlyUsed() }
  }

  private mutating func forgetLeastRecentlyUsed() {
    // A scan, once per full handshake with a new origin: cheap beside the handshake itself.
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return }
    entries[oldest] = nil
  }
}

/// The TLS sessions that origins gave on connections paired with clients', for all loops: a client may resume on any loop.
///
/// The session that a client resumes with us decides which one is resumed with the origin. It may be used twice, if the client
/// uses its own twice.
package final class SessionLineages: Sendable {
  private struct Key: Hashable {
    let route: Route
    /// `ClientHandshake.lineage`.
    let lineage: UInt64
  }

  private let sessions = Mutex(SessionCache<Key>(keyLimit: 512))

  package init() {}

  /// The session by which a connection to `route` is resumed, as its client resumed its own; `nil` when the client made a full
  /// handshake.
  ///
  /// A session that can be used again (TLS 1.2) is the new connection's as well: the origin need not give another.
  func session(for handshake: ClientHandshake, to route: Route) -> TLSSession? {
    guard let resumed = handshake.resumed else { return nil }
    return sessions.withLock { sessions in
      let session = sessions.newest(for: Key(route: route, lineage: resumed))
      if let session, !session.isSingleUse { sessions.put(session, for: Key(route: route, lineage: handshake.lineage)) }
      return session
    }
  }

  func put(_ session: TLSSession, of handshake: ClientHandshake, to route: Route) {
    sessions.withLock { $0.put(session, for: Key(route: route, lineage: handshake.lineage)) }
  }
}
