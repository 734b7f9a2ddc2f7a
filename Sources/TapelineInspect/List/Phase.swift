/// The phases of an exchange, in the order in which they pass; `ssl` lies inside `connect`.
///
/// `client` is none of HAR's: it is the part of HAR's `blocked` that the client took for itself, where a log says so. What the server
/// or the connection took is ranked without it.
package enum Phase: Int, CaseIterable, Sendable {
  case client
  case blocked
  case dns
  case connect
  case ssl
  case send
  case wait
  case receive

  /// HAR's name of it.
  package var name: String {
    switch self {
    case .client: "client"
    case .blocked: "blocked"
    case .dns: "dns"
    case .connect: "connect"
    case .ssl: "ssl"
    case .send: "send"
    case .wait: "wait"
    case .receive: "receive"
    }
  }

  /// Its letter in a strip; `t` is the TLS part of the connecting.
  package var letter: Character {
    switch self {
    case .client: "C"
    case .blocked: "b"
    case .dns: "d"
    case .connect: "c"
    case .ssl: "t"
    case .send: "s"
    case .wait: "w"
    case .receive: "r"
    }
  }
}

/// How long each phase of one exchange took, in milliseconds; `nil` for a phase that did not happen (HAR's −1).
package struct PhaseDurations: Sendable {
  private var slots = InlineArray<8, Double?>(repeating: nil)

  package init() {}

  package subscript(phase: Phase) -> Double? {
    get { slots[phase.rawValue] }
    set { slots[phase.rawValue] = newValue }
  }
}

extension PhaseDurations {
  /// The phases that took time, `ssl` taken out of `connect`, so that nothing is counted twice; in the order in which they passed.
  package var disjoint: [(phase: Phase, milliseconds: Double)] {
    Phase.allCases.compactMap { phase in
      guard let whole = self[phase], whole > 0 else { return nil }
      let share = phase == .connect ? max(0, whole - (self[.ssl] ?? 0)) : whole
      return share > 0 ? (phase, share) : nil
    }
  }

  /// The phase in which most of the time passed; `nil` when nothing took time.
  package var longest: (phase: Phase, milliseconds: Double)? {
    disjoint.max { $0.milliseconds < $1.milliseconds }
  }

  /// Those without the client's own part.
  package var withoutClient: PhaseDurations {
    var others = self
    others[.client] = nil
    return others
  }
}
