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
    var reader = Reader.busy
    /// Whether the end was taken; it wakes nobody again.
    var isEndKnown = false

    var hasEnd: Bool { content.isLast && !isEndKnown }
  }

  private enum Reader {
    case busy
    case waitsForAnything
    /// It has just worked, and lets some entries come together.
    case gathers
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
      switch state.reader {
      case .busy: return false
      case .gathers: guard isUrgent(state) else { return false }
      case .waitsForAnything: break
      }
      state.reader = .busy
      return true
    }
    if isWakeNeeded { wake.signal() }
  }

  /// Whether a reader that lets entries come together should know at once.
  private func isUrgent(_ state: State) -> Bool {
    !state.content.answers.isEmpty || state.hasEnd || state.size >= limit / 4
  }

  /// For the exporter's thread: what has come, at the latest at `instant`; then it may be nothing.
  ///
  /// - Parameter pause: until then a few entries alone are not worth waking up for.
  func take(until instant: MonotonicInstant?, gatheringUntil pause: MonotonicInstant? = nil) -> Content {
    while true {
      let now = MonotonicInstant.now
      let isPast = instant.map { $0 <= now } ?? false
      let isGathering = pause.map { now < $0 } ?? false
      let content: Content? = state.withLock { state in
        tapeline_lock_taken()
        defer { tapeline_lock_released() }
        let isNews = isGathering ? isUrgent(state) : !state.content.isEmpty || state.hasEnd
        guard isNews || isPast else {
          state.reader = isGathering ? .gathers : .waitsForAnything
          return nil
        }
        state.reader = .busy
        state.isEndKnown = state.content.isLast
        state.size = 0
        var content = Content()
        content.isLast = state.content.isLast
        swap(&content, &state.content)
        return content
      }
      if let content { return content }
      guard let due = [instant, isGathering ? pause : nil].compactMap(\.self).min() else {
        wake.wait()
        continue
      }
      _ = wake.wait(timeout: .now() + .nanoseconds(Int(clamping: due.nanoseconds(since: now))))
    }
  }
}
