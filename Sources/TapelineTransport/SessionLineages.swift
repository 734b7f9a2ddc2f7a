internal import Synchronization
internal import TapelineTLS

/// The TLS sessions that origins gave on connections that are paired with clients', for all loops: a client may resume on any of them.
///
/// What a client resumes with us decides what is resumed with the origin. It may use a session twice, as it does its own.
package final class SessionLineages: Sendable {
  private struct Key: Hashable {
    let route: Route
    /// `ClientHandshake.lineage`.
    let lineage: UInt64
  }

  private let sessions = Mutex(SessionCache<Key>(keyLimit: 512))

  package init() {}

  /// The session by which a connection to `route` is resumed as its client has resumed; `nil` when the client made a full handshake.
  ///
  /// A session that lives on (TLS 1.2) is the new connection's as well: the origin need not give another.
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
