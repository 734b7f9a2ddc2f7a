/// How much of something is done, in any unit; of a transfer, bytes.
public struct Progress: Sendable, Hashable {
  /// The total amount; negative when it is not known.
  public var totalUnitCount: Int64
  /// The amount done.
  public var completedUnitCount: Int64

  /// `completedUnitCount` of `totalUnitCount`.
  public init(totalUnitCount: Int64 = 0, completedUnitCount: Int64 = 0) {
    self.totalUnitCount = totalUnitCount
    self.completedUnitCount = completedUnitCount
  }

  /// Whether the fraction is unknown: the total is not known, or nothing is known at all.
  public var isIndeterminate: Bool {
    totalUnitCount < 0 || completedUnitCount < 0 || (totalUnitCount == 0 && completedUnitCount == 0)
  }

  /// The fraction of the total that is done: 0 while it is unknown, and above 1 when more came than was announced. With nothing
  /// to do, it is 1.
  public var fractionCompleted: Double {
    if isIndeterminate { return 0 }
    return totalUnitCount == 0 ? 1 : Double(completedUnitCount) / Double(totalUnitCount)
  }

  /// Whether all of a known total is done.
  public var isFinished: Bool {
    !isIndeterminate && completedUnitCount >= totalUnitCount
  }
}

extension Progress: CustomStringConvertible {
  /// `512 of 1024`, or `512` while the total is not known.
  public var description: String {
    totalUnitCount < 0 ? "\(completedUnitCount)" : "\(completedUnitCount) of \(totalUnitCount)"
  }
}
