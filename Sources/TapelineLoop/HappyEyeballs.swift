/// Settings of Happy Eyeballs (RFC 8305); its decisions are in `HappyEyeballs.StateMachine`.
package enum HappyEyeballs {
  package struct Configuration: Hashable, Sendable {
    /// How long an attempt runs before the next one starts in parallel (RFC 8305 5: 250 ms recommended).
    package var attemptDelayNanoseconds: Int64 = 250_000_000
    /// The time limit of an attempt; `nil`: as long as the kernel tries.
    package var connectTimeoutNanoseconds: Int64? = 10_000_000_000

    package init() {}
  }

  /// The order of attempts: the resolver's order, with alternating families (RFC 8305 4, First Address Family Count 1), and no
  /// address twice. The resolver has already sorted by RFC 6724.
  package static func order(_ addresses: [SocketAddress]) -> [SocketAddress] {
    var seen: Set<SocketAddress> = []
    let unique = addresses.filter { seen.insert($0).inserted }
    guard let first = unique.first else { return [] }
    let preferred = unique.filter { $0.family == first.family }
    let others = unique.filter { $0.family != first.family }
    var ordered: [SocketAddress] = []
    for index in 0..<max(preferred.count, others.count) {
      if index < preferred.count { ordered.append(preferred[index]) }
      if index < others.count { ordered.append(others[index]) }
    }
    return ordered
  }
}
