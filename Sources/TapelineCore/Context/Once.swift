internal import Synchronization

/// Says yes only to the first caller: for completions that user code might call twice.
final class Once: Sendable {
  private let isTaken = Atomic(false)

  /// Whether the caller is the first.
  func claim() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }
}
