internal import Synchronization
internal import TapelineTransport

/// Pieces between the loop, which puts, and one task, which takes and waits.
final class ChunkQueue<Element: Sendable>: Sendable {
  typealias Outcome = Result<Element?, TapelineError>

  private struct Piece: Sendable {
    let element: Element
    let done: @Sendable () -> Void
  }

  private enum End: Sendable {
    case finished(TapelineError?)
    /// Nobody will take further pieces.
    case abandoned
  }

  private struct State: Sendable {
    var pieces = PieceQueue<Piece>()
    var end: End?
    var waiting: CheckedContinuation<Outcome, Never>?
  }

  private let state = Mutex(State())

  /// Puts a piece; `done` is called when it was taken.
  func put(_ element: Element, _ done: @escaping @Sendable () -> Void) {
    let (waiting, isTaken) = state.withLock { state -> (CheckedContinuation<Outcome, Never>?, Bool) in
      if case .abandoned = state.end { return (nil, true) }
      if let waiting = state.waiting.take() { return (waiting, true) }
      state.pieces.append(Piece(element: element, done: done))
      return (nil, false)
    }
    waiting?.resume(returning: .success(element))
    if isTaken { done() }
  }

  /// Waiting pieces are still taken; then comes `error`, or the end.
  func finish(_ error: TapelineError?) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      if state.end == nil { state.end = .finished(error) }
      return state.waiting.take()
    }
    waiting?.resume(returning: Self.outcome(of: error))
  }

  /// Drops all waiting and further pieces.
  func abandon() {
    let dropped = state.withLock { state in
      state.end = .abandoned
      return state.pieces.takeAll()
    }
    for piece in dropped { piece.done() }
  }

  func next(isolation actor: isolated (any Actor)?) async -> Outcome {
    await withCheckedContinuation(isolation: actor) { continuation in
      guard let (outcome, done) = take(orWait: continuation) else { return }
      continuation.resume(returning: outcome)
      done?()
    }
  }

  private func take(orWait continuation: CheckedContinuation<Outcome, Never>) -> (Outcome, (@Sendable () -> Void)?)? {
    state.withLock { state in
      if let piece = state.pieces.popFirst() { return (.success(piece.element), piece.done) }
      switch state.end {
      case .finished(let error): return (Self.outcome(of: error), nil)
      case .abandoned: return (.success(nil), nil)
      case nil:
        precondition(state.waiting == nil, "a stream's pieces are for one consumer")
        state.waiting = continuation
        return nil
      }
    }
  }

  private static func outcome(of error: TapelineError?) -> Outcome {
    error.map { .failure($0) } ?? .success(nil)
  }
}

/// First in, first out, in constant time on average however long it gets.
struct PieceQueue<Piece> {
  private var incoming: [Piece] = []
  /// Oldest last.
  private var outgoing: [Piece] = []

  mutating func append(_ piece: Piece) {
    incoming.append(piece)
  }

  /// Puts back the piece that was taken last.
  mutating func putBack(_ piece: Piece) {
    outgoing.append(piece)
  }

  mutating func popFirst() -> Piece? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming = []
    }
    return outgoing.popLast()
  }

  /// All that is left, oldest first.
  mutating func takeAll() -> [Piece] {
    defer { self = PieceQueue() }
    return outgoing.reversed() + incoming
  }
}

extension PieceQueue: Sendable where Piece: Sendable {}

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
