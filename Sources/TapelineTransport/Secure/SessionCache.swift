internal import Synchronization
internal import TapelineTables
internal import TapelineTLS

/// TLS sessions that may be resumed, each under a key: a route, or a client's connection to it. The least recently used key is
/// forgotten first.
///
/// A session of TLS 1.3 is given out once, since a ticket used twice tells an observer that two connections are one client's
/// (RFC 8446 C.4).
struct SessionCache<Key: Hashable & Sendable>: Sendable {
  /// Sessions per key: servers give two or so per connection, and a browser opens six connections.
  static var sessionLimit: Int { 8 }

  /// The newest session last.
  private var sessions: BoundedTable<Key, [TLSSession]>

  /// - Parameter keyLimit: how many keys are remembered.
  init(keyLimit: Int = 256) {
    sessions = BoundedTable(limit: keyLimit)
  }

  var keyCount: Int { sessions.count }

  /// The newest session under `key`. A session that can be used only once is removed.
  mutating func take(for key: Key) -> TLSSession? {
    sessions.use(key) { $0.last?.isSingleUse == true ? $0.popLast() : $0.last } ?? nil
  }

  /// The newest session under `key`.
  mutating func newest(for key: Key) -> TLSSession? {
    sessions.use(key) { $0.last } ?? nil
  }

  mutating func put(_ session: TLSSession, for key: Key) {
    let known: Void? = sessions.use(key) { sessions in
      if sessions.count == Self.sessionLimit { sessions.removeFirst() }
      sessions.append(session)
    }
    if known == nil { sessions[key] = [session] }
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
