/// A number of a query with its unit.
struct QueryQuantity: Hashable, Sendable {
  enum Dimension: Hashable, Sendable {
    /// A bare number.
    case plain
    /// In milliseconds, as in HAR.
    case duration
    /// In bytes.
    case size
  }

  let value: Double
  let dimension: Dimension

  private static let units: [(name: Substring, factor: Double, dimension: Dimension)] = [
    ("", 1, .plain),
    ("us", 0.001, .duration), ("µs", 0.001, .duration), ("ms", 1, .duration), ("s", 1_000, .duration), ("m", 60_000, .duration),
    ("h", 3_600_000, .duration),
    ("B", 1, .size), ("kB", 1e3, .size), ("MB", 1e6, .size), ("GB", 1e9, .size),
    ("KiB", 1_024, .size), ("MiB", 1_048_576, .size), ("GiB", 1_073_741_824, .size),
  ]

  /// The list of units for error messages.
  static let unitNames = units.dropFirst().map(\.name).joined(separator: ", ")

  /// `nil` when `unit` is unknown.
  init?(_ value: Double, unit: Substring) {
    guard let known = Self.units.first(where: { $0.name == unit }) else { return nil }
    self.value = value * known.factor
    dimension = known.dimension
  }
}
