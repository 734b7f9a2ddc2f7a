internal import Synchronization
internal import TapelineBase
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
    /// `ClientHandshake.lineage`, or that of a ticket.
    let lineage: UInt64
  }

  /// Several for each of the clients' last connections: servers give two or so.
  private static let limit = 1_024
  /// A session from before TLS 1.3 may be used as often as its client likes; a ticket of ours once. So many connections can be
  /// opened at once by it.
  private static let ticketsPerSession = 4

  private let sessions = Mutex(BoundedTable<Key, TLSSession>(limit: limit))

  package init() {}

  /// The session by which a connection to `route` is resumed, as its client resumed its own; `nil` when the client made a full
  /// handshake.
  func session(for handshake: ClientHandshake, to route: Route) -> TLSSession? {
    guard let resumed = handshake.resumed else { return nil }
    return sessions.withLock { sessions in
      let session = sessions.use(Key(route: route, lineage: resumed)) { $0 }
      // The origin need not give another.
      if let session, !session.isSingleUse { sessions[Key(route: route, lineage: handshake.lineage)] = session }
      return session
    }
  }

  /// The origin gave a session on the connection that followed `handshake`. The client gets a ticket for it, if it is of TLS 1.3.
  func put(_ session: TLSSession, of handshake: ClientHandshake, to route: Route) {
    let ticket = session.isSingleUse && handshake.issuesTickets ? ConnectionID.next() : nil
    sessions.withLock { sessions in
      sessions[Key(route: route, lineage: ticket ?? handshake.lineage)] = session
      if handshake.keepsTicket, let resumed = handshake.resumed { sessions[Key(route: route, lineage: resumed)] = session }
    }
    if let ticket { handshake.issueTicket(ticket) }
  }

  /// A handshake before TLS 1.3 has ended, on the connection that followed `handshake`: gives the client tickets for its session.
  func passOn(of handshake: ClientHandshake, to route: Route) {
    let hasSession = sessions.withLock { $0[Key(route: route, lineage: handshake.lineage)] != nil }
    guard hasSession else { return }
    for _ in 0..<Self.ticketsPerSession { handshake.issueTicket(handshake.lineage) }
  }
}
