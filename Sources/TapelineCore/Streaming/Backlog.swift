internal import Synchronization
internal import TapelineTransport

/// Bytes that were handed to another queue and not yet dealt with there. They decide whether the loop reads on.
///
/// Reading pauses at `limit` and goes on at half of it, so that it does not pause and go on with every piece. Pieces that were
/// read before the pause still come: the backlog is never longer than the limit plus one receive buffer. A tiny piece counts for
/// the memory that it costs, so that a server that sends single bytes does not fill the memory.
final class Backlog: Sendable {
  static let defaultLimit = 256 * 1024
  /// The bytes that the smallest piece counts for: about the memory that it occupies while it waits.
  static let smallestCharge = 256

  private struct State: Sendable {
    var outstanding = 0
    var highest = 0
    var isPaused = false
  }

  let limit: Int
  private let state = Mutex(State())

  init(limit: Int = defaultLimit) {
    precondition(limit > 0, "a backlog that may hold nothing would never move")
    self.limit = limit
  }

  var outstanding: Int { state.withLock { $0.outstanding } }

  /// The longest it has been.
  var highest: Int { state.withLock { $0.highest } }

  /// Whether reading waits for this backlog.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  private static func charge(for count: Int) -> Int { max(count, smallestCharge) }

  /// Notes a piece that was handed over. On the loop.
  func add(_ count: Int) -> Demand {
    state.withLock { state in
      state.outstanding += Self.charge(for: count)
      state.highest = max(state.highest, state.outstanding)
      guard state.outstanding >= limit else { return .more }
      state.isPaused = true
      return .pause
    }
  }

  /// Notes a piece that was dealt with, from any thread. Returns whether reading had paused and may now go on.
  func remove(_ count: Int) -> Bool {
    state.withLock { state in
      let charge = Self.charge(for: count)
      precondition(charge <= state.outstanding, "more was dealt with than was handed over")
      state.outstanding -= charge
      guard state.isPaused, state.outstanding <= limit / 2 else { return false }
      state.isPaused = false
      return true
    }
  }
}
