/// SplitMix64 (Steele, Lea and Flood, 2014): random numbers that are the same in each run, on each machine.
///
/// Samples and intervals are drawn with it, so that the same two captures always compare in the same way.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// One sequence per name, by FNV-1a of its bytes: `Hasher` has another seed in each run.
  init(naming name: String) {
    state = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Strictly between 0 and 1.
  mutating func uniform() -> Double {
    (Double(next() >> 12) + 0.5) * 0x1p-52
  }
}
