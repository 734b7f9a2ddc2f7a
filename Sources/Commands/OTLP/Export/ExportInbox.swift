internal import CTapeline
internal import Dispatch
internal import Synchronization
internal import TapelineBase
internal import TapelineTime

/// Carries entries and the collector's answers to the exporter's thread. Nobody who puts something in waits.
final class ExportInbox: Sendable {
  /// Everything that has come at once.
  struct Content: Sendable {
    var entries = WaitingEntries()
    /// The answers to attempts, with their numbers.
    var answers: [(attempt: Int, answer: CollectorAnswer)] = []
    /// Exchanges that were left out because too many bytes waited.
    var leftOut = 0
    /// Whether no more entries come.
    var isLast = false
  }

  /// Which entries the reader wants now. It gets answers and the end in any case.
  enum Wish: Equatable {
    case any
    /// Until then, a few entries alone are not worth waking up for; afterwards, any are.
    case many(until: MonotonicInstant)
    /// They stay where they are.
    case none

    /// Whether the reader gets all entries that wait.
    var takesEntries: Bool {
      switch self {
      case .any, .many: true
      case .none: false
      }
    }
  }

  private struct State {
    var content = Content()
    /// The bytes of the entries that the reader has taken and not given back.
    var taken = 0
    /// Memory that the reader has given back, for the next entries: nothing is allocated for them.
    var spare = WaitingEntries()
    /// `nil` while the reader is busy.
    var wish: Wish?
    /// Whether the end was taken; it wakes nobody again.
    var isEndKnown = false
  }

  private let limit: Int
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// - Parameter limit: the most bytes of entries that wait or are being read. A single entry is always accepted.
  init(limit: Int) {
    self.limit = limit
  }

  /// - Parameter page: called if there is room for the entry.
  func put(_ json: Span<UInt8>, _ page: () -> SpanPage) {
    change { state in
      let size = state.content.entries.size + state.taken
      guard size == 0 || size + json.count <= limit else {
        state.content.leftOut += 1
        return
      }
      state.content.entries.append(json, page())
    }
  }

  func put(_ answer: CollectorAnswer, to attempt: Int) {
    change { $0.content.answers.append((attempt, answer)) }
  }

  func close() {
    change { $0.content.isLast = true }
  }

  private func change(_ change: (inout State) -> Void) {
    let isWakeNeeded = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      change(&state)
      guard let wish = state.wish, isNews(state, for: wish, isLate: false) else { return false }
      state.wish = nil
      return true
    }
    if isWakeNeeded { wake.signal() }
  }

  /// - Parameter isLate: whether the time for many entries is over.
  private func isNews(_ state: State, for wish: Wish, isLate: Bool) -> Bool {
    if !state.content.answers.isEmpty || (state.content.isLast && !state.isEndKnown) { return true }
    switch wish {
    case .any: return !state.content.entries.isEmpty
    case .many: return isLate ? !state.content.entries.isEmpty : state.content.entries.size >= limit / 4
    case .none: return false
    }
  }

  /// For the exporter's thread: what has come, at the latest at `instant`; then it may be nothing.
  func take(until instant: MonotonicInstant?, _ wish: Wish) -> Content {
    while true {
      let now = MonotonicInstant.now
      var (due, isLate) = (instant, false)
      if case .many(let pause) = wish {
        isLate = pause <= now
        if !isLate { due = [instant, pause].compactMap(\.self).min() }
      }
      let isPast = instant.map { $0 <= now } ?? false
      let content: Content? = state.withLock { state in
        tapeline_lock_taken()
        defer { tapeline_lock_released() }
        guard isPast || isNews(state, for: wish, isLate: isLate) else {
          state.wish = isLate ? .any : wish
          return nil
        }
        state.wish = nil
        return take(wish, from: &state)
      }
      if let content { return content }
      guard let due else {
        wake.wait()
        continue
      }
      _ = wake.wait(timeout: .now() + .nanoseconds(Int(clamping: due.nanoseconds(since: now))))
    }
  }

  private func take(_ wish: Wish, from state: inout State) -> Content {
    state.isEndKnown = state.content.isLast
    var content = Content()
    content.isLast = state.content.isLast
    swap(&content, &state.content)
    switch wish {
    case .any, .many:
      state.taken += content.entries.size
      swap(&state.spare, &state.content.entries)
    case .none:
      swap(&content.entries, &state.content.entries)
    }
    return content
  }

  /// The reader has read these entries.
  func giveBack(_ entries: consuming WaitingEntries) {
    let size = entries.size
    entries.clear()
    state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      state.taken -= size
      state.spare = entries
    }
  }
}

/// Entries as they are in the log, one behind the other, and their pages.
struct WaitingEntries: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [(end: Int, page: SpanPage)] = []
  private var next = 0

  /// Whether all of them are read.
  var isEmpty: Bool { next == ends.count }

  /// The bytes of all of them, read or not.
  var size: Int { bytes.count }

  mutating func append(_ json: Span<UInt8>, _ page: SpanPage) {
    bytes.append(bytes: json)
    ends.append((bytes.count, page))
  }

  /// Reads the next entry; `nil` if there are no more.
  mutating func read<Result>(_ body: (Span<UInt8>, SpanPage) -> Result) -> Result? {
    guard !isEmpty else { return nil }
    let (end, page) = ends[next]
    let start = next == 0 ? 0 : ends[next - 1].end
    next += 1
    return body(bytes.span.extracting(start..<end), page)
  }

  /// Forgets them, and keeps their memory.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    next = 0
  }
}
