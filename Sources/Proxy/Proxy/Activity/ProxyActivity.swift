internal import Synchronization
package import TapelineTime

/// A proxy's activity at a moment.
package struct ProxyActivity: Sendable, Hashable {
  /// Requests that have begun and are not recorded yet, except those in `openTunnels`. Opening a tunnel counts as a request, and
  /// so does the TLS handshake in it.
  package var inFlight = 0
  /// The part of `inFlight` whose response has begun and is a stream, which ends when one side has had enough of it.
  package var streams = 0
  /// Tunnels whose bytes are relayed as they are, and connections that have switched protocols.
  package var openTunnels = 0
  package var clientConnections = 0
  /// Requests that have begun since the start.
  package var begun: UInt64 = 0
  /// Failures of servers that the proxy has answered itself.
  package var answeredFailures: UInt64 = 0
  /// Failures of servers that clients heard of by the end of their connection.
  package var passedFailures: UInt64 = 0
  /// When `inFlight`, `streams` or `openTunnels` changed last; `nil` when nothing has happened yet.
  package var lastChange: MonotonicInstant?

  package init() {}
}

/// The kind as which a client connection counts in `ProxyActivity`.
enum Engagement {
  case none
  /// A request is in flight.
  case exchange
  /// A request whose response has begun, and ends when one side has had enough of it.
  case stream
  /// Bytes are relayed for as long as both sides like.
  case tunnel
}

/// One loop's part of `ProxyActivity`: written by its loop only, but for `clients`, and read by any thread.
final class ActivityCounters: Sendable {
  /// Exchanges, without those that are streams.
  private let exchanges = Atomic<Int>(0)
  private let streams = Atomic<Int>(0)
  private let tunnels = Atomic<Int>(0)
  private let connectedClients = Atomic<Int>(0)
  private let begun = Atomic<UInt64>(0)
  private let answeredFailures = Atomic<UInt64>(0)
  private let passedFailures = Atomic<UInt64>(0)
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

  /// A client has heard of a server's failure.
  func countFailure(isAnswered: Bool) {
    if isAnswered {
      answeredFailures.wrappingAdd(1, ordering: .relaxed)
    } else {
      passedFailures.wrappingAdd(1, ordering: .relaxed)
    }
  }

  private func count(_ delta: Int, _ engagement: Engagement) {
    switch engagement {
    case .none: break
    case .exchange: add(delta, to: exchanges)
    case .stream: add(delta, to: streams)
    case .tunnel: add(delta, to: tunnels)
    }
  }

  /// A load and a store, since there is only one writer: a locked addition would cost ten times as much.
  private func add(_ delta: Int, to counter: borrowing Atomic<Int>) {
    counter.store(counter.load(ordering: .relaxed) + delta, ordering: .releasing)
  }

  // MARK: On any thread

  /// Connections of clients, those among them that another loop has handed over and this one does not serve yet.
  var clients: Int { connectedClients.load(ordering: .relaxed) }

  func countClient(_ delta: Int) {
    connectedClients.wrappingAdd(delta, ordering: .relaxed)
  }

  func add(to activity: inout ProxyActivity) {
    let streams = streams.load(ordering: .acquiring)
    activity.inFlight += exchanges.load(ordering: .acquiring) + streams
    activity.streams += streams
    activity.openTunnels += tunnels.load(ordering: .acquiring)
    activity.clientConnections += clients
    activity.begun += begun.load(ordering: .relaxed)
    activity.answeredFailures += answeredFailures.load(ordering: .relaxed)
    activity.passedFailures += passedFailures.load(ordering: .relaxed)
    let changed = lastChange.load(ordering: .relaxed)
    guard changed != Self.never else { return }
    let instant = MonotonicInstant(nanoseconds: changed)
    activity.lastChange = activity.lastChange.map { max($0, instant) } ?? instant
  }
}
