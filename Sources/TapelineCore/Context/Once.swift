internal import Synchronization

/// Says yes to the first who asks: for completions that user code might call twice.
final class Once: Sendable {
  private let isTaken = Atomic(false)

  /// Whether the caller is the first.
  func claim() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }
}
