/// A random sample of a stream of numbers, each with the same chance (Vitter's algorithm R), so that memory has a bound.
struct ReservoirSample: Sendable {
  private(set) var values: [Float] = []
  /// The number of values seen.
  private(set) var count = 0
  private let limit: Int
  private var generator: SeededGenerator

  init(limit: Int) {
    self.limit = limit
    generator = SeededGenerator(seed: UInt64(limit))
  }

  var isComplete: Bool { count == values.count }

  mutating func add(_ value: Double) {
    count += 1
    if values.count < limit {
      values.append(Float(value))
      return
    }
    let index = Int.random(in: 0..<count, using: &generator)
    if index < limit { values[index] = Float(value) }
  }

  /// In ascending order, to the microsecond.
  var sorted: [Double] {
    values.sorted().map { (Double($0) * 1_000).rounded() / 1_000 }
  }
}
