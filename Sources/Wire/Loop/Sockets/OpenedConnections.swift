internal import Synchronization

/// How many connections this process has opened to each address: so that they can be told from those of others among the
/// connections that end (`EndedConnections`), where nobody else can be told apart.
package enum OpenedConnections {
  /// `nil` as long as nobody wants to know.
  private static let counts = Mutex<[SocketAddress: Int]?>(nil)
  /// Servers beyond these are not counted.
  private static let limit = 4_096

  /// From now on, connections are counted.
  package static func beginCounting() {
    counts.withLock { $0 = $0 ?? [:] }
  }

  static func note(_ address: SocketAddress) {
    counts.withLock { counts in
      guard let known = counts, known[address] != nil || known.count < limit else { return }
      counts?[address, default: 0] += 1
    }
  }

  package static func count(to address: SocketAddress) -> Int {
    counts.withLock { $0?[address] ?? 0 }
  }
}
