internal import Synchronization
internal import TapelineHTTP
internal import TapelineTransport

/// The rules of a recording, and how often each has changed something. Shared by all loops.
package final class InjectionRules: Sendable {
  /// How a rule stands.
  package struct Standing: Sendable, Hashable {
    /// Whether the user has turned it off.
    package var isOff = false
    /// Exchanges for which its condition held.
    package var matched: UInt64 = 0
    /// Those that it has changed.
    package var applied: UInt64 = 0
  }

  private struct State {
    var standings: [Standing]
    /// Requests that some rule did not match, for the nearest miss. Bounded, and by what people know them by.
    var missed: [String: InjectionSubject] = [:]
  }

  package let rules: [InjectionRule]
  private let seed: UInt64
  private let matching: @Sendable (InjectionSubject) -> [Int]
  private let state: Mutex<State>

  private static let missedLimit = 32

  /// - Parameters:
  ///   - earlier: rules that these stand for from now on. Those that are in both go on as they stand.
  ///   - matching: the rules, by their places, whose conditions hold for a request.
  package init(
    _ rules: [InjectionRule], seed: UInt64, following earlier: InjectionRules? = nil,
    matching: @escaping @Sendable (InjectionSubject) -> [Int]
  ) {
    self.rules = rules
    self.seed = seed
    self.matching = matching
    var state = State(standings: [Standing](repeating: Standing(), count: rules.count))
    if let earlier {
      let (lines, standings) = (earlier.rules.map(\.line), earlier.standings)
      state.missed = earlier.state.withLock { $0.missed }
      state.standings = rules.map { rule in lines.firstIndex(of: rule.line).map { standings[$0] } ?? Standing() }
    }
    self.state = Mutex(state)
  }

  package var standings: [Standing] { state.withLock { $0.standings } }

  /// Turns rules on or off, by their places.
  package func turn(_ places: [Int], off: Bool) {
    state.withLock { state in
      for place in places { state.standings[place].isOff = off }
    }
  }

  /// The requests that came and were not matched by all rules, some of them.
  package var missed: [InjectionSubject] { state.withLock { Array($0.missed.values) } }

  /// Where connections to a place lead instead; `nil`: to the place itself.
  func placement(of route: Route) -> (host: String, port: UInt16)? {
    for (index, rule) in rules.enumerated() {
      if case .map(let place, let target) = rule.action, place.host == route.host, place.port == route.port,
        !standings[index].isOff
      {
        return (target.host, target.port)
      }
    }
    return nil
  }

  /// The plan of what the rules do to an exchange, first to last; `nil`: nothing.
  func plan(for subject: InjectionSubject) -> InjectionPlan? {
    let matched = matching(subject)
    let plan = state.withLock { state in
      if matched.count < rules.count, state.missed.count < Self.missedLimit {
        state.missed["\(subject.method) \(subject.url)"] = subject
      }
      var plan = InjectionPlan()
      for index in matched where !state.standings[index].isOff && rules[index].action.concerns(subject) {
        state.standings[index].matched += 1
        let place = state.standings[index].matched
        var draw = InjectionDraw(seed: seed, stream: UInt64(index), place: place)
        let rule = rules[index]
        guard rule.share.includes(place, draw: draw.next()), plan.add(rule, number: index + 1, to: subject, &draw) else {
          continue
        }
        state.standings[index].applied += 1
      }
      return plan
    }
    return plan.steps.isEmpty ? nil : plan
  }
}

extension InjectionAction {
  /// Whether it can be done to the exchange at all: a place that the connection leads to, a call of gRPC.
  fileprivate func concerns(_ subject: InjectionSubject) -> Bool {
    switch self {
    case .map(let place, _): place.host == subject.host && place.port == subject.port
    case .answer(let answer): answer.grpc == nil || GRPCFormat(of: subject.fields) != nil
    case .rewrite(let prefix, _): subject.url.hasPrefix(prefix)
    case .delay, .reset, .close, .timeout, .truncate, .cut, .stall, .rate, .edit, .content: true
    }
  }
}
