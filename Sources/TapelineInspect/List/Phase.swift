/// The phases of an exchange, in the order in which they pass; `ssl` lies inside `connect`.
package enum Phase: Int, CaseIterable, Sendable {
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
  private var slots = InlineArray<7, Double?>(repeating: nil)

  package init() {}

  package subscript(phase: Phase) -> Double? {
    get { slots[phase.rawValue] }
    set { slots[phase.rawValue] = newValue }
  }
}
