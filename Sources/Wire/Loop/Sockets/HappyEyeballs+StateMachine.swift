package import TapelineTime

/// Settings of Happy Eyeballs (RFC 8305); its decisions are in `HappyEyeballs.StateMachine`.
package enum HappyEyeballs {
  package struct Configuration: Hashable, Sendable {
    /// How long an attempt runs before the next one starts in parallel (RFC 8305 5: 250 ms recommended).
    package var attemptDelay = Duration.milliseconds(250)
    /// The time limit of an attempt; `nil`: as long as the kernel tries.
    package var connectTimeout: Duration? = .seconds(10)

    package init() {}
  }

  /// The order of attempts: the resolver's order, with alternating families (RFC 8305 4, First Address Family Count 1), and no
  /// address twice. The resolver has already sorted by RFC 6724.
  package static func order(_ addresses: [SocketAddress]) -> [SocketAddress] {
    var seen: Set<SocketAddress> = []
    let unique = addresses.filter { seen.insert($0).inserted }
    guard let first = unique.first else { return [] }
    let preferred = unique.filter { $0.family == first.family }
    let others = unique.filter { $0.family != first.family }
    var ordered: [SocketAddress] = []
    for index in 0..<max(preferred.count, others.count) {
      if index < preferred.count { ordered.append(preferred[index]) }
      if index < others.count { ordered.append(others[index]) }
    }
    return ordered
  }
}

extension HappyEyeballs {
  /// Decides which addresses to try and when: a value that neither connects nor reads the clock.
  ///
  /// An attempt's number is its place in the order. `getaddrinfo` asks for both families at once and waits for the whole answer,
  /// so the resolution delay of RFC 8305 3 does not apply here.
  package struct StateMachine: Sendable {
    package enum Action: Hashable, Sendable {
      case start(Int)
      case abandon(Int)
      /// Call `timeHasPassed` at this time; replaces an earlier wake-up.
      case wake(at: MonotonicInstant)
      case succeed(Int)
      case fail(LoopError)
    }

    private struct Attempt: Sendable {
      let index: Int
      /// `nil`: only the kernel ends it.
      let deadline: MonotonicInstant?

      func isLate(at now: MonotonicInstant) -> Bool { deadline.map { $0 <= now } ?? false }
    }

    private let count: Int
    private let configuration: Configuration
    private var next = 0
    private var running: [Attempt] = []
    /// When the next attempt starts in parallel.
    private var nextStart: MonotonicInstant?
    private var failure: LoopError?
    private var isOver = false

    /// - Parameter count: how many addresses there are; at least one.
    package init(count: Int, configuration: Configuration) {
      precondition(count > 0, "there is nothing to connect to")
      self.count = count
      self.configuration = configuration
    }

    package mutating func begin(at now: MonotonicInstant) -> [Action] {
      precondition(next == 0, "a race is begun once")
      return goOn(at: now)
    }

    /// The attempt's connection is established: it wins, the others are abandoned.
    package mutating func didConnect(_ index: Int) -> [Action] {
      guard !isOver else { return [] }
      isOver = true
      var actions: [Action] = []
      for attempt in running where attempt.index != index { actions.append(.abandon(attempt.index)) }
      running = []
      actions.append(.succeed(index))
      return actions
    }

    /// The attempt is over; the next one starts without waiting (RFC 8305 5).
    package mutating func didFail(_ index: Int, with error: LoopError, at now: MonotonicInstant) -> [Action] {
      guard !isOver else { return [] }
      running.removeAll { $0.index == index }
      note(error)
      return goOn(at: now)
    }

    /// A requested wake-up.
    package mutating func timeHasPassed(at now: MonotonicInstant) -> [Action] {
      guard !isOver else { return [] }
      let late = running.filter { $0.isLate(at: now) }
      running.removeAll { $0.isLate(at: now) }
      if !late.isEmpty { note(timeout) }
      let isDue = nextStart.map { $0 <= now } ?? false
      return late.map { .abandon($0.index) } + goOn(at: now, startsNext: isDue || !late.isEmpty)
    }

    // MARK: Decisions

    /// Starts the next attempt, if there is one, and says what to do then: wait for those that run, or end.
    private mutating func goOn(at now: MonotonicInstant, startsNext: Bool = true) -> [Action] {
      var actions: [Action] = []
      actions.reserveCapacity(2)
      if startsNext, next < count {
        actions.append(.start(next))
        running.append(Attempt(index: next, deadline: configuration.connectTimeout.map(now.advanced(by:))))
        next += 1
        nextStart = next < count ? now.advanced(by: configuration.attemptDelay) : nil
      }
      if running.isEmpty {
        isOver = true
        actions.append(.fail(failure ?? timeout))
      } else if let nextWakeUp {
        actions.append(.wake(at: nextWakeUp))
      }
      return actions
    }

    private var nextWakeUp: MonotonicInstant? {
      var earliest = nextStart
      for attempt in running {
        guard let deadline = attempt.deadline else { continue }
        earliest = earliest.map { min($0, deadline) } ?? deadline
      }
      return earliest
    }

    /// Keeps the most informative failure: an address family without a route is the least informative one.
    private mutating func note(_ error: LoopError) {
      guard let known = failure else {
        failure = error
        return
      }
      if known.kind == .unreachable, error.kind != .unreachable { failure = error }
    }

    private var timeout: LoopError {
      let limit = configuration.connectTimeout.map { " within \(Double($0.nanoseconds) / 1e9) s" } ?? ""
      return LoopError(.tooLate, "no connection\(limit)")
    }
  }
}
