/// Random numbers that are the same in every run.
struct Noise: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

  /// So many of the letters.
  mutating func text(_ count: Int, of letters: String) -> String {
    let letters = Array(letters)
    return String((0..<count).map { _ in one(of: letters) })
  }
}
