/// Whether a HAR is one: the rules of HAR 1.2 and of its JSON schema, and those that a schema cannot express (sums, `ssl` inside
/// of `connect`, pages that are there).
///
/// It is a `HARLint` that tells errors only, and knows no reader but the standard.
public struct HARValidator: Sendable {
  private var lint = HARLint()

  /// A validator for one text.
  public init() {}

  /// Takes the next bytes of the text and tells what is wrong in what is whole by now.
  public mutating func feed(_ bytes: Span<UInt8>, report: (HARFinding) -> Void) throws(HARReadError) {
    try lint.feed(bytes) { if $0.severity == .error { report($0) } }
  }

  /// Says that the text has ended, and tells what can be known only then.
  public mutating func finish(report: (HARFinding) -> Void) throws(HARReadError) {
    try lint.finish { if $0.severity == .error { report($0) } }
  }

  /// Everything that is wrong in a HAR that is all there.
  public static func findings(in bytes: [UInt8]) throws(HARReadError) -> [HARFinding] {
    var validator = HARValidator()
    var findings: [HARFinding] = []
    try validator.feed(bytes.span) { findings.append($0) }
    try validator.finish { findings.append($0) }
    return findings
  }
}
