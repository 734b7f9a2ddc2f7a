/// Something in a HAR that readers reject or misunderstand.
public struct HARFinding: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable {
    /// HAR 1.2 forbids it, or one of the chosen programs refuses the log because of it.
    case error
    /// Some readers have trouble with it.
    case warning
  }

  /// The rule that was broken.
  public let rule: HARRule
  /// How bad it is for the chosen readers.
  public let severity: Severity
  /// Where it is.
  public let path: HARPath
  /// A sentence for people.
  public let message: String
  /// Whether `HARRepair` mends it.
  public let isFixable: Bool

  /// Makes a finding.
  public init(rule: HARRule, severity: Severity, path: HARPath, message: String, isFixable: Bool) {
    self.rule = rule
    self.severity = severity
    self.path = path
    self.message = message
    self.isFixable = isFixable
  }
}

extension HARFinding {
  /// The finding as a JSON object.
  public var json: HARValue {
    [
      "severity": .string(severity.rawValue), "rule": .string(rule.rawValue), "path": .string(path.description),
      "message": .string(message), "fixable": .bool(isFixable),
    ]
  }
}
