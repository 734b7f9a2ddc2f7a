internal import ArgumentParser
internal import TapelineBase
internal import TapelineTime

/// A duration on the command line: `10s`, `500ms`, `2m`; a bare number is seconds.
struct DurationArgument: ExpressibleByArgument, Hashable, CustomStringConvertible {
  let duration: Duration

  private static let units: [(suffix: String, factor: Int)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000), ("", 1_000_000_000),
  ]

  init(_ duration: Duration) {
    self.duration = duration
  }

  init?(argument: String) {
    guard let value = scaledInteger(argument, units: Self.units) else { return nil }
    duration = .nanoseconds(value)
  }

  /// In seconds, or in milliseconds where seconds do not divide it.
  var description: String {
    let nanoseconds = duration.nanoseconds
    return nanoseconds % 1_000_000_000 == 0 ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds / 1_000_000)ms"
  }
}

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

/// When written bytes must have reached the disk, on the command line: `never`, `write`, or a time.
enum SyncArgument: ExpressibleByArgument, Hashable, CustomStringConvertible {
  case never
  case eachWrite
  case interval(DurationArgument)

  init?(argument: String) {
    switch argument.lowercased() {
    case "never": self = .never
    case "write": self = .eachWrite
    default:
      guard let interval = DurationArgument(argument: argument), interval.duration > .zero else { return nil }
      self = .interval(interval)
    }
  }

  var description: String {
    switch self {
    case .never: "never"
    case .eachWrite: "write"
    case .interval(let interval): interval.description
    }
  }
}

/// The policy when the recorder cannot keep up, on the command line.
enum OverloadArgument: String, ExpressibleByArgument, CaseIterable {
  case drop
  case wait
}
