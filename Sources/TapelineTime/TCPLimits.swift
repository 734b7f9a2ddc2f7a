internal import TapelineSystem

/// What may hold up a transfer over TCP, as one end sees it.
package enum TCPLimit: String, CaseIterable, Sendable {
  /// The receiver did not read: the peer if we send, else we ourselves.
  case receiver
  /// Our send buffer was too small for the way.
  case sender
  /// The way was: its congestion window, or segments that it lost.
  case congestion
  /// The program that sends had nothing to send; seen by the receiver, whatever else it does not see.
  case application
}

/// How long each limit held up a transfer: the whole of its time, divided.
///
/// A sender knows it from its kernel: the time in which data was in flight, and which parts of it the peer's window and the send
/// buffer cost; the rest is the congestion window's, unless there was nothing to send. A receiver knows whether it read, and
/// whether segments came out of order; otherwise the sender's program was slow.
package struct TCPLimits: Hashable, Sendable {
  private var nanoseconds = [Int64](repeating: 0, count: TCPLimit.allCases.count)

  package init() {}

  /// - Parameters:
  ///   - history: in order of time.
  ///   - sends: whether the transfer went out.
  ///   - window: the time of the transfer. A change between two samples counts by the part of the time between them that lies in it.
  package init(_ history: [TCPSample], sends: Bool, within window: ClosedRange<MonotonicInstant>) {
    for (before, after) in zip(history, history.dropFirst()) {
      let elapsed = after.instant.nanoseconds(since: before.instant)
      let counted = min(after.instant, window.upperBound).nanoseconds(since: max(before.instant, window.lowerBound))
      guard elapsed > 0, counted > 0 else { continue }
      let change = TCPChange(from: before, to: after, over: elapsed)
      let shares = sends ? change.sending : change.receiving
      for (limit, time) in shares { self[limit] += Int64(Double(time) * (Double(counted) / Double(elapsed))) }
    }
  }

  /// In nanoseconds.
  package subscript(limit: TCPLimit) -> Int64 {
    get { nanoseconds[limit.place] }
    set { nanoseconds[limit.place] = newValue }
  }

  package static func + (left: TCPLimits, right: TCPLimits) -> TCPLimits {
    var sum = left
    for limit in TCPLimit.allCases { sum[limit] += right[limit] }
    return sum
  }

  /// The limit that cost the most; `nil` if nothing was measured.
  package var longest: TCPLimit? {
    TCPLimit.allCases.max { self[$0] < self[$1] }.flatMap { self[$0] > 0 ? $0 : nil }
  }
}

/// The time between two samples, in nanoseconds.
private struct TCPChange {
  private let before: TCPSample
  private let after: TCPSample
  private let elapsed: Int64

  init(from before: TCPSample, to after: TCPSample, over elapsed: Int64) {
    self.before = before
    self.after = after
    self.elapsed = elapsed
  }

  var sending: [(TCPLimit, Int64)] {
    let busy = time(\.busyMilliseconds, within: elapsed)
    let receiver = time(\.windowLimitedMilliseconds, within: busy)
    let sender = time(\.bufferLimitedMilliseconds, within: busy - receiver)
    let hasLost = after.statistics.totalRetransmits != before.statistics.totalRetransmits
    let congestion = hasLost || !after.statistics.traffic.isApplicationLimited ? busy - receiver - sender : 0
    return [
      (.receiver, receiver), (.sender, sender), (.congestion, congestion),
      (.application, elapsed - receiver - sender - congestion),
    ]
  }

  var receiving: [(TCPLimit, Int64)] {
    if before.isPaused || after.isPaused { return [(.receiver, elapsed)] }
    let isInOrder = after.statistics.traffic.outOfOrder == before.statistics.traffic.outOfOrder
    return [(isInOrder ? .application : .congestion, elapsed)]
  }

  private func time(_ counter: KeyPath<TCPTraffic, UInt32>, within limit: Int64) -> Int64 {
    let grown = after.statistics.traffic[keyPath: counter] &- before.statistics.traffic[keyPath: counter]
    return min(Int64(grown) * 1_000_000, limit)
  }
}

extension TCPLimit {
  fileprivate var place: Int {
    switch self {
    case .receiver: 0
    case .sender: 1
    case .congestion: 2
    case .application: 3
    }
  }
}
