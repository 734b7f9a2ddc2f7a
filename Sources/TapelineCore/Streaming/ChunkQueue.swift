internal import Synchronization

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
