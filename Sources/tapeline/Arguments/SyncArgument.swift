internal import ArgumentParser

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
      guard let interval = DurationArgument(argument: argument), interval.nanoseconds > 0 else { return nil }
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
