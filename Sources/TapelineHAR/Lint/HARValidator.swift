/// Checks that a HAR is valid: the rules of HAR 1.2 and of its JSON schema, and those that a schema cannot express (sums, `ssl`
/// inside of `connect`, pages that exist).
///
/// It is a `HARLint` that reports only errors, and has no profiles.
public struct HARValidator: Sendable {
  private var lint = HARLint()

  /// A validator for one text.
  public init() {}

  /// Takes the next bytes of the text and reports what is wrong in the elements that are complete so far.
  public mutating func feed(_ bytes: Span<UInt8>, report: (HARFinding) -> Void) throws(HARReadError) {
    try lint.feed(bytes) { if $0.severity == .error { report($0) } }
  }

  /// Ends the text, and reports the findings that depend on all of it.
  public mutating func finish(report: (HARFinding) -> Void) throws(HARReadError) {
    try lint.finish { if $0.severity == .error { report($0) } }
  }

  /// Everything that is wrong in a complete HAR.
  public static func findings(in bytes: [UInt8]) throws(HARReadError) -> [HARFinding] {
    var validator = HARValidator()
    var findings: [HARFinding] = []
    try validator.feed(bytes.span) { findings.append($0) }
    try validator.finish { findings.append($0) }
    return findings
  }
}
