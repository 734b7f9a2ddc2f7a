internal import TapelineLoop

/// Another loop, as one that may have too many clients sees it.
struct Neighbour: Sendable {
  let shard: LoopBound<LoopShard>
  let activity: ActivityCounters
}

/// When a loop hands a new connection over to a neighbour.
///
/// The kernel gives a loop the connections that come on its processors (`Listener`). All connections of a client with one thread
/// may so come to one loop, while the others idle; so may those of a socket that all loops listen on.
enum LoopBalance {
  /// How many more clients than a neighbour a loop may have. Less would part the connections of a client's thread, whose
  /// neighbours connect a moment later.
  private static let surplus = 8

  /// Whether a loop with `own` clients, the new one not among them, hands this one over to a loop with `other`.
  ///
  /// - Parameter share: as many clients as a loop may have. A loop's last place is kept until the others have no place, as a loop
  ///   without a place leaves connections waiting.
  static func handsOver(own: Int, other: Int, share: Int) -> Bool {
    guard other < share else { return false }
    return own >= share - 1 ? other <= own : own - other >= surplus + other / 4
  }
}
