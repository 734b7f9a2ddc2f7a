public import Synchronization

extension Request {
  /// Where a request is in its life.
  public enum State: UInt8, AtomicRepresentable, Sendable, CaseIterable {
    case initialized
    case resumed
    case suspended
    case cancelled
    case finished

    /// The closed table of transitions. A cancelled request never becomes finished; nothing leaves an end.
    func canTransition(to next: State) -> Bool {
      switch (self, next) {
      case (.initialized, _): true
      case (_, .initialized): false
      case (.cancelled, _), (.finished, _): false
      case (.resumed, .resumed), (.suspended, .suspended): false
      case (.resumed, .suspended), (.resumed, .cancelled), (.resumed, .finished): true
      case (.suspended, .resumed), (.suspended, .cancelled), (.suspended, .finished): true
      }
    }
  }
}
