internal import TapelineBase

/// Times of exchanges in their order. Two samples of equally many exchanges keep the same places, so that the exchanges of two
/// captures can be paired; the memory has a bound.
///
/// A place is kept if its hash is small enough. If there are too many, the bound of the hash is halved.
struct OrderedSample: Sendable {
  struct Element: Sendable {
    /// The place among the exchanges of its request, from 0.
    let place: UInt32
    private let value: Float

    init(place: UInt32, milliseconds: Double) {
      self.place = place
      value = Float(milliseconds)
    }

    /// To the microsecond.
    var milliseconds: Double { (Double(value) * 1_000).rounded() / 1_000 }
  }

  private(set) var elements: [Element] = []
  /// The number of values seen.
  private(set) var count = 0
  private let limit: Int
  private var bound = UInt64.max

  /// - Parameter limit: the maximum number of values; at least half as many are kept.
  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(_ milliseconds: Double, at place: Int) {
    count += 1
    let element = Element(place: UInt32(truncatingIfNeeded: place), milliseconds: milliseconds)
    guard Self.hash(element) <= bound else { return }
    elements.append(element)
    while elements.count > limit {
      bound /= 2
      let bound = bound
      elements.removeAll { Self.hash($0) > bound }
    }
  }

  private static func hash(_ element: Element) -> UInt64 {
    var generator = SeededGenerator(seed: UInt64(element.place))
    return generator.next()
  }

  /// In ascending order.
  var sorted: [Double] { elements.map(\.milliseconds).sorted() }

  var inOrder: [Double] { elements.map(\.milliseconds) }

  /// The times of the same places in both samples, in their order.
  static func pairs(_ before: OrderedSample, _ after: OrderedSample) -> [(before: Double, after: Double)] {
    var pairs: [(before: Double, after: Double)] = []
    var rest = after.elements[...]
    for element in before.elements {
      rest = rest.drop { $0.place < element.place }
      guard let other = rest.first, other.place == element.place else { continue }
      pairs.append((element.milliseconds, other.milliseconds))
    }
    return pairs
  }
}
