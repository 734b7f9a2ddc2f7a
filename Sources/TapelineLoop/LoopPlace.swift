internal import Synchronization

/// Has a loop run on the processor on which its clients' bytes come, while processors are scarce.
///
/// The kernel gives a loop the connections of one processor, and so of one thread of a client (`Listener`). Later the scheduler
/// may part the two, and leave them so: then every message wakes a thread on another processor, whose cache does not have it.
/// Where threads wait for processors, an exchange takes a tenth longer.
///
/// The loop is moved and not bound: the scheduler may move it again at once. While processors idle, it knows better.
struct LoopPlace {
  private let seats: Seats
  private let loop: Int
  /// How often the loop had had to give its processor to another thread when it was asked last.
  private var interruptions = 0

  /// So many interruptions between two questions, which are a tenth of a second apart, mean that processors are scarce.
  static let scarcity = 20

  init(among seats: Seats) {
    self.seats = seats
    loop = seats.admit()
  }

  /// The processor to move to; `nil`: the loop stays where it is.
  ///
  /// - Parameters:
  ///   - clients: for each connection of a client on which bytes move, the processor on which they came last. Asked for only if
  ///     processors are scarce.
  ///   - own: where the loop runs.
  ///   - interruptions: of the loop's thread since it began.
  mutating func target(clients: @autoclosure () -> [Int32], own: Int32, interruptions: Int) -> Int32? {
    let isScarce = interruptions - self.interruptions >= Self.scarcity
    self.interruptions = interruptions
    guard isScarce, let processor = Self.majority(of: clients()), seats.take(processor, for: loop) else {
      seats.leave(loop)
      return nil
    }
    return processor == own ? nil : processor
  }

  /// What three quarters have.
  private static func majority(of processors: [Int32]) -> Int32? {
    let counts = processors.reduce(into: [:]) { counts, processor in counts[processor, default: 0] += 1 }
    return counts.first { 4 * $0.value >= 3 * processors.count }?.key
  }

  /// Which loop of a group follows its clients to which processor. No two go to the same one: those that share a client with one
  /// thread would wait for each other.
  final class Seats: Sendable {
    private struct State {
      var admitted = 0
      /// By loop.
      var processors: [Int: Int32] = [:]
    }

    private let state = Mutex(State())

    func admit() -> Int {
      state.withLock { state in
        state.admitted += 1
        return state.admitted
      }
    }

    /// Whether `loop` has the processor, and no other, from now on.
    func take(_ processor: Int32, for loop: Int) -> Bool {
      state.withLock { state in
        guard !state.processors.contains(where: { $0.value == processor && $0.key != loop }) else { return false }
        state.processors[loop] = processor
        return true
      }
    }

    func leave(_ loop: Int) {
      state.withLock { $0.processors[loop] = nil }
    }
  }
}
