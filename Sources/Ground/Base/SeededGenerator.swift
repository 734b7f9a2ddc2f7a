/// SplitMix64 (Steele, Lea and Flood, 2014): random numbers that are the same in each run, on each machine.
///
/// Samples, intervals and rules draw with it, and come out the same for the same input.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// - Parameter count: numbers of the sequence that are left out.
  @inlinable
  public init(seed: UInt64, skipping count: UInt64 = 0) {
    state = seed &+ count &* 0x9E37_79B9_7F4A_7C15
  }

  /// One sequence per name, by FNV-1a of its bytes: `Hasher` has another seed in each run.
  public init(naming name: some Sequence<UInt8>) {
    state = name.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  @inlinable
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// From 0 up to `bound`.
  @inlinable
  public mutating func next(below bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }

  /// Strictly between 0 and 1.
  @inlinable
  public mutating func uniform() -> Double {
    (Double(next() >> 12) + 0.5) * 0x1p-52
  }
}
