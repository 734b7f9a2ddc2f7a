internal import TapelineTime

/// Decides what the exporter's thread does next: read entries, rest for the sake of others, wait for entries and answers, or end.
/// Sending, trying again and giving up are the matter of `SpanDelivery`, which tells when it wants to be asked again.
///
/// Time is an input. The caller performs what `next` says and reports back.
struct LiveExportSteps {
  enum Step: Equatable {
    /// Take from the inbox, at the latest at that instant, then call `didTake`.
    case take(until: MonotonicInstant?, ExportInbox.Wish)
    /// Make spans of a few of the entries that were taken, then call `didRead`.
    case read
    /// No more entries come: what is left is sent until then. Comes once.
    case finish(by: MonotonicInstant)
  }

  /// The entries that were taken and not read yet.
  private enum Entries {
    /// There are none. Others may come together until then.
    case none(gathering: MonotonicInstant?)
    case ready
    /// Some were read. Before others are, answers are looked for: they let the next batch go.
    case left
  }

  private enum End {
    case open
    /// No more entries come, but some may still wait in the inbox.
    case closing(deadline: MonotonicInstant)
    /// All entries are taken.
    case empty(deadline: MonotonicInstant)
    case finishing
  }

  /// After entries, others may come together for this long: waking up for each would cost the recorder more than the copy does.
  static let gathering = Duration.milliseconds(50)

  private let lastPatience: Duration
  private var entries = Entries.none(gathering: nil)
  private var end = End.open

  /// - Parameter lastPatience: how long spans may take after the end of the recording.
  init(lastPatience: Duration) {
    self.lastPatience = lastPatience
  }

  /// - Parameters:
  ///   - due: when the delivery wants to be asked again.
  ///   - hasRoom: whether it can do with further spans.
  ///   - rest: what the thread still owes to others; zero if nothing. Nothing is owed after the end of the recording.
  mutating func next(at now: MonotonicInstant, due: MonotonicInstant?, hasRoom: Bool, rest: Duration) -> Step {
    if case .open = end, rest > .zero {
      let restEnd = now.advanced(by: rest)
      return .take(until: due.map { min($0, restEnd) } ?? restEnd, .none)
    }
    switch entries {
    case .ready: return .read
    case .left: return .take(until: now, .none)
    case .none(let gathering):
      switch end {
      case .open where !hasRoom: return .take(until: due, .none)
      case .open: return .take(until: due, gathering.map(ExportInbox.Wish.many) ?? .any)
      case .closing: return .take(until: now, .any)
      case .empty(let deadline):
        end = .finishing
        return .finish(by: deadline)
      case .finishing: return .take(until: due, .none)
      }
    }
  }

  /// - Parameters:
  ///   - wish: which entries were wanted.
  ///   - hasEntries: whether any came.
  ///   - isLast: whether none come to the inbox any more.
  mutating func didTake(_ wish: ExportInbox.Wish, hasEntries: Bool, isLast: Bool, at now: MonotonicInstant) {
    if isLast, case .open = end { end = .closing(deadline: now.advanced(by: lastPatience)) }
    switch entries {
    case .ready, .left: entries = .ready
    case .none:
      entries = hasEntries ? .ready : .none(gathering: nil)
      if !hasEntries, wish.takesEntries, case .closing(let deadline) = end { end = .empty(deadline: deadline) }
    }
  }

  /// - Parameter areLeft: whether there are entries that were taken and not read.
  mutating func didRead(areLeft: Bool, at now: MonotonicInstant) {
    entries = areLeft ? .left : .none(gathering: now.advanced(by: Self.gathering))
  }
}
