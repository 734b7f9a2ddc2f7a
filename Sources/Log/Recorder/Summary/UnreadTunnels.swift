package import TapelineCore

/// The tunnels that were relayed but not read: by reason, and by host up to a limit.
package struct UnreadTunnels: Sendable, Hashable {
  package struct Host: Sendable, Hashable {
    /// With its port, unless it is the default.
    package let name: String
    package let reason: UnreadReason

    package init(name: String, reason: UnreadReason) {
      self.name = name
      self.reason = reason
    }
  }

  package private(set) var counts: [UnreadReason: UInt64] = [:]
  /// Hosts beyond `hostLimit` are only in `counts`.
  package private(set) var hosts: [Host: UInt64] = [:]

  static let hostLimit = 64

  package init() {}

  package mutating func count(_ reason: UnreadReason, host: String?) {
    counts[reason, default: 0] += 1
    guard let host else { return }
    let place = Host(name: host, reason: reason)
    if hosts[place] != nil || hosts.count < Self.hostLimit { hosts[place, default: 0] += 1 }
  }

  /// All unread tunnels, including those that were excluded on purpose.
  package var total: UInt64 { counts.values.reduce(0, +) }

  /// The hosts by how much was not read, most first.
  package var hostsByCount: [(host: Host, count: UInt64)] {
    hosts.map { (host: $0.key, count: $0.value) }.sorted {
      ($1.count, $0.host.name, $0.host.reason.rawValue) < ($0.count, $1.host.name, $1.host.reason.rawValue)
    }
  }
}
