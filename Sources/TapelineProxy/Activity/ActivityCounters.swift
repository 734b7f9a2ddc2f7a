internal import Synchronization
internal import TapelineTime

/// One loop's part of `ProxyActivity`: written by its loop only, read by any thread.
final class ActivityCounters: Sendable {
  /// Exchanges, without those that are streams.
  private let exchanges = Atomic<Int>(0)
  private let streams = Atomic<Int>(0)
  private let tunnels = Atomic<Int>(0)
  private let connections = Atomic<Int>(0)
  private let begun = Atomic<UInt64>(0)
  /// Nanoseconds; `never` before the first change.
  private let lastChange = Atomic<Int64>(ActivityCounters.never)

  private static let never = Int64.min

  // MARK: On the loop

  func move(from old: Engagement, to new: Engagement, at instant: MonotonicInstant) {
    // Before the counts: a reader that sees a count also sees the time of its change, or a later one.
    lastChange.store(instant.nanoseconds, ordering: .relaxed)
    // In this order: an engagement that goes on as another one is never seen as over.
    count(1, new)
    count(-1, old)
    if old == .none { begun.store(begun.load(ordering: .relaxed) + 1, ordering: .relaxed) }
  }

  private func count(_ delta: Int, _ engagement: Engagement) {
    switch engagement {
    case .none: break
    case .exchange: add(delta, to: exchanges)
    case .stream: add(delta, to: streams)
    case .tunnel: add(delta, to: tunnels)
    }
  }

  func setConnections(_ count: Int) {
    connections.store(count, ordering: .relaxed)
  }

  /// A load and a store, since there is only one writer: a locked addition would cost ten times as much.
  private func add(_ delta: Int, to counter: borrowing Atomic<Int>) {
    counter.store(counter.load(ordering: .relaxed) + delta, ordering: .releasing)
  }

  // MARK: On any thread

  func add(to activity: inout ProxyActivity) {
    let streams = streams.load(ordering: .acquiring)
    activity.inFlight += exchanges.load(ordering: .acquiring) + streams
    activity.streams += streams
    activity.openTunnels += tunnels.load(ordering: .acquiring)
    activity.clientConnections += connections.load(ordering: .relaxed)
    activity.begun += begun.load(ordering: .relaxed)
    let changed = lastChange.load(ordering: .relaxed)
    guard changed != Self.never else { return }
    let instant = MonotonicInstant(nanoseconds: changed)
    activity.lastChange = activity.lastChange.map { max($0, instant) } ?? instant
  }
}
