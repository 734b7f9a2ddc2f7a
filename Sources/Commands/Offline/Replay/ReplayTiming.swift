internal import TapelineInspect

/// The share of the recorded time that answers take.
package struct ReplayTiming: Hashable, Sendable, CustomStringConvertible {
  /// 0: at once; 1: as recorded.
  package let factor: Double

  package static let none = ReplayTiming(factor: 0)
  static let recorded = ReplayTiming(factor: 1)

  init(factor: Double) {
    self.factor = factor
  }

  /// `none`, `recorded`, or a factor as in `0.5x`.
  package init?(_ text: String) {
    switch text {
    case "none": self = .none
    case "recorded": self = .recorded
    default:
      guard text.hasSuffix("x"), let factor = Double(text.dropLast()), factor.isFinite, factor >= 0 else { return nil }
      self.init(factor: factor)
    }
  }

  package var description: String {
    if self == .none { return "none" }
    return self == .recorded ? "recorded" : "\(factor)x"
  }

  /// A recorded time, multiplied by the factor.
  package func duration(ofMilliseconds milliseconds: Double) -> Duration {
    .nanoseconds(Int(saturating: min(max(0, milliseconds * factor * 1e6), 1e15)))
  }
}
