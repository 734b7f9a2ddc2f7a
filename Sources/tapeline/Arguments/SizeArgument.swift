internal import ArgumentParser
internal import TapelineText

/// A number of bytes on the command line: `1MiB`, `64KiB`, `500kB`, `4096`.
struct SizeArgument: ExpressibleByArgument, Hashable, CustomStringConvertible {
  let bytes: Int

  /// Longest suffix first; the bare forms `k`, `M`, `G` mean powers of 1024, as they do in most tools.
  private static let units: [(suffix: String, factor: Int)] = [
    ("gib", 1 << 30), ("mib", 1 << 20), ("kib", 1 << 10),
    ("gb", 1_000_000_000), ("mb", 1_000_000), ("kb", 1_000),
    ("g", 1 << 30), ("m", 1 << 20), ("k", 1 << 10), ("b", 1), ("", 1),
  ]

  init(bytes: Int) {
    self.bytes = bytes
  }

  init?(argument: String) {
    guard let value = scaledInteger(argument, units: Self.units) else { return nil }
    bytes = value
  }

  private static let printed = [
    ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("GB", 1_000_000_000), ("MB", 1_000_000),
  ]

  /// In the largest unit that divides it.
  var description: String {
    for (name, factor) in Self.printed where bytes >= factor && bytes % factor == 0 {
      return "\(bytes / factor)\(name)"
    }
    return String(bytes)
  }
}

/// `text` as a non-negative whole number times the factor of its suffix; `nil` for anything else, also for an overflow.
func scaledInteger(_ text: String, units: [(suffix: String, factor: Int)]) -> Int? {
  let lowercased = text.lowercased()
  guard let unit = units.first(where: { lowercased.hasSuffix($0.suffix) }) else { return nil }
  let digits = lowercased.dropLast(unit.suffix.count)
  guard !digits.isEmpty, digits.utf8.allSatisfy(Byte.isDigit) else { return nil }
  guard let count = Int(digits) else { return nil }
  let (product, overflows) = count.multipliedReportingOverflow(by: unit.factor)
  return overflows ? nil : product
}
