package import TapelineHAR

/// The phases of an exchange, in the order in which they happen; `ssl` is part of `connect`.
///
/// `client` is not a HAR phase: it is the part of HAR's `blocked` that the client itself took, if a log says so. Rankings by the
/// time that the server or the connection took leave it out.
package enum Phase: Int, CaseIterable, Sendable {
  case client
  case blocked
  case dns
  case connect
  case ssl
  case send
  case wait
  case receive

  /// The phase's name in HAR.
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

  /// The phase's letter in a strip; `t` is the TLS part of connecting.
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
  /// The phases that took time, in order. `connect` does not include `ssl`, so that no time counts twice.
  package var disjoint: [(phase: Phase, milliseconds: Double)] {
    Phase.allCases.compactMap { phase in
      guard let whole = self[phase], whole > 0 else { return nil }
      let share = phase == .connect ? max(0, whole - (self[.ssl] ?? 0)) : whole
      return share > 0 ? (phase, share) : nil
    }
  }

  /// The phase that took the most time; `nil` when nothing took time.
  package var longest: (phase: Phase, milliseconds: Double)? {
    disjoint.max { $0.milliseconds < $1.milliseconds }
  }

  /// The same durations without the client's own part.
  package var withoutClient: PhaseDurations {
    var others = self
    others[.client] = nil
    return others
  }

  package init(_ entry: HAREntry) {
    self.init(entry.timings, client: entry.clientTime)
  }

  /// HAR's −1, or any other negative figure, means that a phase did not happen.
  ///
  /// - Parameter client: the client's part of HAR's `blocked`; the rest is `blocked`, if that is a phase of its own.
  init(_ timings: HARTimings, client: Double) {
    self.init()
    self[.client] = client > 0 ? client : nil
    self[.blocked] = happened(timings.blocked).map { $0.less(client: client) }
    self[.dns] = happened(timings.dns)
    self[.connect] = happened(timings.connect)
    self[.ssl] = happened(timings.ssl)
    self[.send] = happened(timings.send)
    self[.wait] = happened(timings.wait)
    self[.receive] = happened(timings.receive)
  }
}

extension HAREntry {
  /// How long the exchange took in milliseconds, without the client's own part. Rankings use this value.
  ///
  /// HAR's `time` includes that part: before the first request in a tunnel, most of it is a client that reads its authorities.
  /// `nil` if the log does not say how long it took.
  package var total: Double? { duration?.less(client: clientTime) }

  /// The client's own part of `timings.blocked`, which our logs have; 0 if a log has none, or an absurd value.
  var clientTime: Double { timings.clientTime(of: custom["_blocked"]?["client"]?.double) }
}

extension HARTimings {
  /// The client's own part of `blocked`, of what the log says it is; 0 if that is absurd.
  func clientTime(of logged: Double?) -> Double {
    guard let logged, logged > 0, let blocked, blocked > 0 else { return 0 }
    return min(logged, blocked)
  }
}

extension Double {
  /// A time without the client's part of it. A difference of figures with three decimals has at most three decimals.
  func less(client: Double) -> Double {
    client > 0 ? Swift.max(0, ((self - client) * 1_000_000).rounded() / 1_000_000) : self
  }
}

private func happened(_ milliseconds: Double?) -> Double? {
  milliseconds.flatMap(\.asDuration)
}
