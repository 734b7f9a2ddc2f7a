internal import TapelineSystem

/// A reason that holds up a transfer over TCP, as one end sees it.
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
  // In nanoseconds. Fields and no array, because each entry divides the time of two connections.
  private var receiver: Int64 = 0
  private var sender: Int64 = 0
  private var congestion: Int64 = 0
  private var application: Int64 = 0

  package init() {}

  /// - Parameters: - sends: whether the transfer went out. - window: the time of the transfer. What changed between the two
  ///   samples counts by the part of the time between them that lies in it.
  package init(from before: TCPSample, to after: TCPSample, sends: Bool, within window: ClosedRange<MonotonicInstant>) {
    let elapsed = after.instant.nanoseconds(since: before.instant)
    let counted = min(after.instant, window.upperBound).nanoseconds(since: max(before.instant, window.lowerBound))
    guard elapsed > 0, counted > 0 else { return }
    let change =
      sends
      ? TCPLimits(sendingFrom: before, to: after, over: elapsed) : TCPLimits(receivingFrom: before, to: after, over: elapsed)
    self = change.share(Double(counted) / Double(elapsed))
  }

  /// The time between two samples, in which we sent.
  private init(sendingFrom before: TCPSample, to after: TCPSample, over elapsed: Int64) {
    let (earlier, later) = (before.statistics.traffic, after.statistics.traffic)
    let busy = Self.nanoseconds(earlier.busyMilliseconds, later.busyMilliseconds, within: elapsed)
    receiver = Self.nanoseconds(earlier.windowLimitedMilliseconds, later.windowLimitedMilliseconds, within: busy)
    sender = Self.nanoseconds(earlier.bufferLimitedMilliseconds, later.bufferLimitedMilliseconds, within: busy - receiver)
    let hasLost = after.statistics.totalRetransmits != before.statistics.totalRetransmits
    congestion = hasLost || !later.isApplicationLimited ? busy - receiver - sender : 0
    application = elapsed - receiver - sender - congestion
  }

  /// The time between two samples, in which we received.
  private init(receivingFrom before: TCPSample, to after: TCPSample, over elapsed: Int64) {
    if before.isPaused || after.isPaused {
      receiver = elapsed
    } else if after.statistics.traffic.outOfOrder == before.statistics.traffic.outOfOrder {
      application = elapsed
    } else {
      congestion = elapsed
    }
  }

  /// The growth of a counter of milliseconds, which may wrap.
  private static func nanoseconds(_ earlier: UInt32, _ later: UInt32, within limit: Int64) -> Int64 {
    min(Int64(later &- earlier) * 1_000_000, limit)
  }

  private func share(_ part: Double) -> TCPLimits {
    var share = TCPLimits()
    share.receiver = Int64(Double(receiver) * part)
    share.sender = Int64(Double(sender) * part)
    share.congestion = Int64(Double(congestion) * part)
    share.application = Int64(Double(application) * part)
    return share
  }

  /// In nanoseconds.
  package subscript(limit: TCPLimit) -> Int64 {
    get {
      switch limit {
      case .receiver: receiver
      case .sender: sender
      case .congestion: congestion
      case .application: application
      }
    }
    set {
      switch limit {
      case .receiver: receiver = newValue
      case .sender: sender = newValue
      case .congestion: congestion = newValue
      case .application: application = newValue
      }
    }
  }

  package static func + (left: TCPLimits, right: TCPLimits) -> TCPLimits {
    var sum = left
    sum.receiver += right.receiver
    sum.sender += right.sender
    sum.congestion += right.congestion
    sum.application += right.application
    return sum
  }

  /// The limit that cost the most, the first of equals; `nil` if nothing was measured.
  package var longest: TCPLimit? {
    let most = max(receiver, sender, congestion, application)
    guard most > 0 else { return nil }
    if receiver == most { return .receiver }
    if sender == most { return .sender }
    return congestion == most ? .congestion : .application
  }
}
