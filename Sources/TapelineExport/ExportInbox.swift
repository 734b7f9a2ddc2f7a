internal import CTapeline
internal import Dispatch
internal import Synchronization
internal import TapelineOTLP
internal import TapelineText
internal import TapelineTime

/// Carries entries and the collector's answers to the exporter's thread. Nobody who puts something in waits.
final class ExportInbox: Sendable {
  /// An entry as it is in the log, and its page.
  struct Entry: Sendable {
    let json: [UInt8]
    let page: SpanPage
  }

  /// Everything that has come at once.
  struct Content: Sendable {
    var entries: [Entry] = []
    /// The answers to attempts, with their numbers.
    var answers: [(attempt: Int, answer: CollectorAnswer)] = []
    /// Exchanges that were left out because too many bytes waited.
    var leftOut = 0
    /// Whether no more entries come.
    var isLast = false

    fileprivate var isEmpty: Bool { entries.isEmpty && answers.isEmpty && leftOut == 0 }
  }

  private struct State {
    var content = Content()
    var size = 0
    var isWaiting = false
    /// Whether the end was taken; it wakes nobody again.
    var isEndKnown = false
  }

  private let limit: Int
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// - Parameter limit: the most bytes of entries that wait. A single entry is always accepted.
  init(limit: Int) {
    self.limit = limit
  }

  func put(_ json: Span<UInt8>, _ page: SpanPage) {
    change { state in
      guard state.size == 0 || state.size + json.count <= limit else {
        state.content.leftOut += 1
        return
      }
      state.size += json.count
      state.content.entries.append(Entry(json: [UInt8](copying: json), page: page))
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
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if isWakeNeeded { wake.signal() }
  }

  /// For the exporter's thread: what has come, at the latest at `instant`; then it may be nothing.
  func take(until instant: MonotonicInstant?) -> Content {
    while true {
      let now = MonotonicInstant.now
      let isPast = instant.map { $0 <= now } ?? false
      let content: Content? = state.withLock { state in
        tapeline_lock_taken()
        defer { tapeline_lock_released() }
        let isNews = !state.content.isEmpty || (state.content.isLast && !state.isEndKnown)
        guard isNews || isPast else {
          state.isWaiting = true
          return nil
        }
        state.isWaiting = false
        state.isEndKnown = state.content.isLast
        state.size = 0
        var content = Content()
        content.isLast = state.content.isLast
        swap(&content, &state.content)
        return content
      }
      if let content { return content }
      guard let instant else {
        wake.wait()
        continue
      }
      _ = wake.wait(timeout: .now() + .nanoseconds(Int(clamping: instant.nanoseconds(since: now))))
    }
  }
}
