package import TapelineBase
package import TapelineHAR

/// How long each phase of one exchange took, in milliseconds; `nil` for a phase that did not happen (HAR's −1).
package struct PhaseDurations: Sendable {
  private var slots = Phase.Table<Double?>(repeating: nil)

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

  /// The same durations without what is not of the total.
  package var ofTotal: PhaseDurations {
    var others = self
    for phase in Phase.allCases where !phase.isOfTotal { others[phase] = nil }
    return others
  }

  package init(_ entry: HAREntry) {
    self.init(entry.timings, entry.shares)
  }

  /// HAR's −1, or any other negative figure, means that a phase did not happen.
  ///
  /// - Parameter shares: of HAR's `blocked`; the rest is `blocked`, if that is a phase of its own.
  init(_ timings: HARTimings, _ shares: BlockedShares) {
    self.init()
    for phase in Phase.ofHAR { self[phase] = timings[phase].flatMap(\.asDuration) }
    self[.client] = shares.client > 0 ? shares.client : nil
    self[.proxy] = shares.proxy > 0 ? shares.proxy : nil
    self[.blocked] = self[.blocked].map { $0.less(shares) }
  }
}

extension HAREntry {
  /// How long the exchange took in milliseconds, without the client's own part and the proxy's. Rankings use this value.
  ///
  /// HAR's `time` is the sum of its phases and includes both: before the first request in a tunnel, most of it is a client that
  /// reads its authorities. `nil` if the log does not say how long it took.
  package var total: Double? { duration?.less(shares) }

  /// The shares of client and proxy in `timings.blocked`, which our logs have.
  var shares: BlockedShares { timings.plausible(blockedShares ?? BlockedShares(custom[.blocked])) }
}

extension HARTimings {
  /// The shares in `blocked`, of what the log says they are: 0 for an absurd value, and no more together than the whole.
  func plausible(_ logged: BlockedShares) -> BlockedShares {
    guard let blocked, blocked > 0 else { return BlockedShares() }
    let client = logged.client > 0 ? min(logged.client, blocked) : 0
    return BlockedShares(client: client, proxy: logged.proxy > 0 ? min(logged.proxy, blocked.less(client)) : 0)
  }
}

extension Double {
  /// A time without the parts of it that are the client's and the proxy's.
  func less(_ shares: BlockedShares) -> Double { less(shares.client + shares.proxy) }

  /// A difference of figures with three decimals has at most three decimals.
  fileprivate func less(_ part: Double) -> Double {
    part > 0 ? Swift.max(0, ((self - part) * 1_000_000).rounded() / 1_000_000) : self
  }
}
