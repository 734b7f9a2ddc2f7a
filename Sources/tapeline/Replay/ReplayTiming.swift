internal import ArgumentParser
internal import TapelineInspect

/// The share of the recorded time that answers take.
struct ReplayTiming: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
  /// 0: at once; 1: as recorded.
  let factor: Double

  static let none = ReplayTiming(factor: 0)
  static let recorded = ReplayTiming(factor: 1)

  init(factor: Double) {
    self.factor = factor
  }

  /// `none`, `recorded`, or a factor as in `0.5x`.
  init?(argument: String) {
    switch argument {
    case "none": self = .none
    case "recorded": self = .recorded
    default:
      guard argument.hasSuffix("x"), let factor = Double(argument.dropLast()), factor.isFinite, factor >= 0 else { return nil }
      self.init(factor: factor)
    }
  }

  var description: String {
    if self == .none { return "none" }
    return self == .recorded ? "recorded" : "\(factor)x"
  }

  var defaultValueDescription: String { description }

  /// A recorded time, multiplied by the factor.
  func nanoseconds(_ milliseconds: Double) -> Int64 {
    Int64(Int(saturating: min(max(0, milliseconds * factor * 1e6), 1e15)))
  }
}
