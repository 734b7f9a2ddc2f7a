internal import TapelineLoop
internal import TapelineSystem

/// Connections of this machine to itself that began and ended between two looks. Nobody can say whose they were: the command's,
/// or those of another program. Only those are told that are likely to be the command's: to servers that nobody was connected to
/// before it began.
struct BriefConnections: ~Copyable {
  private let proxies: [SocketAddress]
  private var ended: EndedConnections
  /// Addresses that somebody was connected to when the command began.
  private let before: Set<SocketAddress>
  /// Ports of servers: a connection from one of these is the other end of one to it.
  private var served: Set<UInt16>
  private var found: [EndedConnections.Connection] = []

  private static let most = 20_000
  private static let settling = Duration.milliseconds(10)

  init(proxies: [SocketAddress]) throws(SystemCallError) {
    self.proxies = proxies
    OpenedConnections.beginCounting()
    ended = try EndedConnections()
    let table = TCPSocket.all()
    before = Set(table.filter(\.isConnected).map(\.remote.reached))
    served = Set(table.filter { $0.state == .listen }.map(\.local.port))
  }

  /// Takes what has ended since the last time.
  mutating func take() {
    var connections: [EndedConnections.Connection] = []
    ended.forEach { connections.append($0) }
    for connection in connections {
      if connection.remote.port == 0 {
        // A socket that was never connected: mostly a server's.
        served.insert(connection.local.port)
      } else if connection.wasConnected, connection.remote.isLoopback, found.count < Self.most {
        found.append(connection)
      }
    }
  }

  /// How many connections to which address are left, when those are taken out that somebody is known to have made.
  ///
  /// - Parameter seen: the command's that were seen.
  mutating func left(besides seen: [Bypass]) -> [BypassReport.Unattributed] {
    // The kernel tells of an end a moment after it.
    SystemThread.sleep(for: Self.settling)
    take()
    let table = TCPSocket.all()
    served.formUnion(table.filter { $0.state == .listen }.map(\.local.port))
    var counts: [SocketAddress: Int] = [:]
    for connection in found where !served.contains(connection.local.port) && isCandidate(connection.remote) {
      counts[connection.remote, default: 0] += 1
    }
    let own = RunningProcess(id: CurrentProcess.id)?.sockets ?? []
    return counts.compactMap { address, count in
      let open = table.count { $0.remote.reached == address && own.contains($0.inode) }
      let known = seen.reduce(0) { $1.destination == address ? $0 + $1.connections : $0 }
      let rest = count - (OpenedConnections.count(to: address) - open) - known
      return rest > 0 ? BypassReport.Unattributed(destination: address, connections: rest) : nil
    }.sorted { (rank($0.destination), $0.destination.port) < (rank($1.destination), $1.destination.port) }
  }

  /// Servers that were also asked through the proxy come first: they are the command's.
  private func rank(_ address: SocketAddress) -> Int { OpenedConnections.count(to: address) > 0 ? 0 : 1 }

  private func isCandidate(_ address: SocketAddress) -> Bool {
    !proxies.contains(address) && !before.contains(address) && address.port != 53
  }
}
