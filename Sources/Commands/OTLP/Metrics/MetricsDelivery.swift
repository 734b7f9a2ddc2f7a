package import TapelineTime

/// Decides when the metrics of a recording are sent. Each time all of them are, as sums since the beginning: what did not arrive
/// arrives with the next, so nothing is kept.
///
/// Time is an input. The caller performs what `next` says and reports back.
package struct MetricsDelivery {
  package enum Step: Hashable {
    /// Send what there is, then call `didEnd`.
    case send
    /// The attempt takes too long: end it, then go on; its answer does not count any more.
    case cancel
    case wait(until: MonotonicInstant)
    /// After `finish`: the last state was taken, or there is no time left.
    case done
  }

  private enum State {
    case waiting(until: MonotonicInstant)
    /// - Parameter isLast: it has everything: no more exchanges come.
    case sending(since: MonotonicInstant, isLast: Bool)
    case done
  }

  private let interval: Duration
  private let attempt: Duration
  private var state: State
  private var deadline: MonotonicInstant?
  /// How often the metrics were taken, and how often they were not.
  package private(set) var sent = 0
  package private(set) var failed = 0
  /// Why they were not taken, most recently; `nil` when they were.
  package private(set) var trouble: String?

  /// How long to wait for another attempt at the end.
  private static let lastPause = Duration.seconds(1)

  /// - Parameters:
  ///   - interval: from one sending to the next.
  ///   - attempt: how long one may take.
  package init(every interval: Duration, attempt: Duration, from now: MonotonicInstant) {
    self.interval = interval
    self.attempt = attempt
    state = .waiting(until: now.advanced(by: interval))
  }

  /// No more exchanges come: what there is is sent now, and given up at `deadline`.
  ///
  /// - Parameter isEmpty: whether there is nothing.
  package mutating func finish(by deadline: MonotonicInstant, isEmpty: Bool, at now: MonotonicInstant) {
    self.deadline = deadline
    if isEmpty { state = .done } else if case .waiting = state { state = .waiting(until: now) }
  }

  package mutating func next(at now: MonotonicInstant) -> Step {
    switch state {
    case .done: return .done
    case .waiting(let until):
      if let deadline, now >= deadline {
        state = .done
        return .done
      }
      guard now >= until else { return .wait(until: deadline.map { min($0, until) } ?? until) }
      state = .sending(since: now, isLast: deadline != nil)
      return .send
    case .sending(let since, _):
      let end = since.advanced(by: attempt)
      let due = deadline.map { min($0, end) } ?? end
      guard now >= due else { return .wait(until: due) }
      didFail("it did not answer in time", at: now)
      return .cancel
    }
  }

  package mutating func didEnd(_ answer: CollectorAnswer, at now: MonotonicInstant) {
    guard case .sending(let since, let isLast) = state else { return }
    switch answer {
    case .accepted(let rejected, let message):
      sent += 1
      trouble = rejected > 0 ? "it rejected \(rejected) data points\(message.isEmpty ? "" : ": \(message)")" : nil
      state = isLast ? .done : .waiting(until: deadline == nil ? since.advanced(by: interval) : now)
    case .refused(let reason):
      didFail(reason, at: now)
      if deadline != nil { state = .done }
    case .unavailable(let reason, _): didFail(reason, at: now)
    }
  }

  private mutating func didFail(_ reason: String, at now: MonotonicInstant) {
    failed += 1
    trouble = reason
    state = .waiting(until: now.advanced(by: deadline == nil ? interval : Self.lastPause))
  }
}
