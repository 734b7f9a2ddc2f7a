internal import Synchronization
internal import TapelineTLS

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
