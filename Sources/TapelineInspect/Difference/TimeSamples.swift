internal import TapelineHAR

/// Samples of the times of some exchanges, one for each phase.
struct TimeSamples: Sendable {
  private var reservoirs: [ReservoirSample]

  /// - Parameter limit: the maximum number of times kept for each phase.
  init(limit: Int) {
    reservoirs = TimedPart.allCases.map { _ in ReservoirSample(limit: limit) }
  }

  subscript(part: TimedPart) -> ReservoirSample { reservoirs[part.index] }

  mutating func add(_ entry: HAREntry) {
    add(entry.total, to: .total)
    let durations = PhaseDurations(entry)
    for phase in Phase.allCases {
      if let duration = durations[phase] { add(duration, to: .phase(phase)) }
    }
  }

  /// A day: nothing in a capture is longer, and absurd values in a foreign log must stay in range.
  private static let longest = 86_400_000.0

  private mutating func add(_ milliseconds: Double, to part: TimedPart) {
    guard milliseconds.isFinite, milliseconds >= 0 else { return }
    reservoirs[part.index].add(min(milliseconds, Self.longest))
  }
}
