internal import Synchronization

/// An answer that user code gives by calling a completion, taken up when the code has also returned: it may still set a state
/// of its own. The first answer counts.
final class AnswerAfterReturn<Answer: Sendable>: Sendable {
  private struct State: Sendable {
    var answer: Answer?
    var hasReturned = false
    var isTaken = false

    mutating func take() -> Answer? {
      guard hasReturned, !isTaken, let answer else { return nil }
      isTaken = true
      return answer
    }
  }

  private let state = Mutex(State())
  private let takeUp: @Sendable (Answer) -> Void

  /// - Parameter takeUp: called once with the answer, where the later of the two events happens.
  init(_ takeUp: @escaping @Sendable (Answer) -> Void) {
    self.takeUp = takeUp
  }

  func give(_ answer: Answer) {
    let ready = state.withLock { state in
      if state.answer == nil { state.answer = answer }
      return state.take()
    }
    if let ready { takeUp(ready) }
  }

  func didReturn() {
    let ready = state.withLock { state in
      state.hasReturned = true
      return state.take()
    }
    if let ready { takeUp(ready) }
  }
}
