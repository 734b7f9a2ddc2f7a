import TapelineBase
import TapelineSystem

@testable import TapelineInspect

/// Two runs of a program with ten requests, or with others, of which the truth is known.
struct SimulatedRun {
  /// How times vary within a run, beside the requests' own medians of 2 to 200 ms.
  enum Noise: String, CaseIterable {
    /// Normal logarithms with a standard deviation of 0.08; a twentieth of the calls is slower, by e on average.
    case realistic
    /// The same with as many calls more or less in the second run.
    case unequal
    /// Normal logarithms with a standard deviation of 0.1, and nothing else.
    case plain
    /// A third of the calls takes seven times as long, at random, and at the same places.
    case mixture
    case orderedMixture
    /// Pareto tails without a variance.
    case heavyTails
    /// A cold start: the first calls take up to 1.6 times as long.
    case coldStart
    /// Slow waves of 10 %, of another length in each run.
    case waves
    /// Each call depends on the one before (ρ = 0.3 and 0.5).
    case dependent
    case stronglyDependent
    /// Some calls in a row are four times as slow.
    case bursts
    /// Whole milliseconds.
    case rounded
    /// Each run as a whole is off by 0.5 % (a standard deviation).
    case offsets
  }

  private var generator: SeededGenerator
  private let noise: Noise

  init(_ noise: Noise, seed: Int) {
    self.noise = noise
    generator = SeededGenerator(naming: "\(noise.rawValue) \(seed)".utf8)
  }

  /// - Parameter change: of the first request, as a factor.
  mutating func requests(_ count: Int = 10, calls: Int = 50, change: Double = 1) -> [TimePair] {
    let offsets = noise == .offsets ? [normal() * 0.005, normal() * 0.005] : [0, 0]
    return (0..<count).map { index in
      let median = 2 * ElementaryFunctions.power(100, generator.uniform())
      let after = noise == .unequal ? max(1, Int(Double(calls) * (0.6 + 0.9 * generator.uniform()))) : calls
      let sides = zip([calls, after], [1, index == 0 ? change : 1]).map { calls, factor in (calls: calls, factor: factor) }
      let times = zip(sides, offsets).map { side, offset in
        logarithms(side.calls).map { median * side.factor * ElementaryFunctions.exponential($0 + offset) }
      }
      return TimePair(before: sample(times[0]), after: sample(times[1]), isPaired: after == calls)
    }
  }

  private func sample(_ times: [Double]) -> OrderedSample {
    var sample = OrderedSample(limit: RequestProfile.sampleLimit)
    for (place, time) in times.enumerated() {
      sample.add(noise == .rounded ? max(1, time.rounded()) : min(time, 86_400_000), at: place)
    }
    return sample
  }

  private mutating func logarithms(_ count: Int) -> [Double] {
    let phase = generator.uniform()
    let waves = 1 + 3 * generator.uniform()
    let burst = Int(generator.uniform() * Double(count))
    var last = normal() * 0.1
    return (0..<count).map { place in
      let position = Double(place) / Double(count)
      switch noise {
      case .realistic, .unequal, .rounded, .offsets: return usual()
      case .plain: return normal() * 0.1
      case .mixture: return normal() * 0.1 + (generator.uniform() < 0.3 ? 2 : 0)
      case .orderedMixture: return normal() * 0.1 + (place.isMultiple(of: 3) ? 2 : 0)
      case .heavyTails: return 0.3 * ElementaryFunctions.power(generator.uniform(), -0.6)
      case .coldStart: return usual() + 0.5 * ElementaryFunctions.exponential(-5 * position)
      case .waves: return usual() + 0.1 * ElementaryFunctions.cosine(2 * .pi * (waves * position + phase))
      case .dependent, .stronglyDependent:
        let correlation = noise == .dependent ? 0.3 : 0.5
        last = correlation * last + 0.1 * (1 - correlation * correlation).squareRoot() * normal()
        return last
      case .bursts: return normal() * 0.1 + ((burst..<burst + 4).contains(place) ? 1.4 : 0)
      }
    }
  }

  private mutating func usual() -> Double {
    let slow = generator.uniform() < 0.05 ? -ElementaryFunctions.logarithm(generator.uniform()) : 0
    return normal() * 0.08 + slow
  }

  private mutating func normal() -> Double {
    (-2 * ElementaryFunctions.logarithm(generator.uniform())).squareRoot()
      * ElementaryFunctions.cosine(2 * .pi * generator.uniform())
  }
}

extension TimeJudgement {
  /// Anything at all that is called a change.
  var hasFinding: Bool { verdicts.contains { $0.direction != nil } || whole?.direction != nil }
}
