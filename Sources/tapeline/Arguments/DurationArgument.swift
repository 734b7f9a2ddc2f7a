internal import ArgumentParser

/// A duration on the command line: `10s`, `500ms`, `2m`; a bare number is seconds.
struct DurationArgument: ExpressibleByArgument, Hashable, CustomStringConvertible {
  let nanoseconds: Int64

  private static let units: [(suffix: String, factor: Int)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000), ("", 1_000_000_000),
  ]

  init(seconds: Int64) {
    self.init(nanoseconds: seconds * 1_000_000_000)
  }

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    guard let value = scaledInteger(argument, units: Self.units) else { return nil }
    nanoseconds = Int64(value)
  }

  /// In seconds, or in milliseconds where seconds do not divide it.
  var description: String {
    nanoseconds % 1_000_000_000 == 0 ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds / 1_000_000)ms"
  }
}
