/// A deviation from HAR 1.2 in text that is JSON.
public struct HARReadWarning: Sendable, Hashable {
  /// What is wrong with a value.
  public enum Kind: Sendable, Hashable {
    /// A required member is not there.
    case missing
    /// The value is `null`, which HAR does not have.
    case null
    /// The value has another type; both are named as JSON names them.
    case wrongType(expected: String, found: String)
    /// A number or truth value is between quotes.
    case quoted
    /// A number is where a text should be.
    case unquoted
    /// A count has a fraction, or is written with one.
    case fraction
    /// The name appears earlier in the same object; the last one counts.
    case duplicate
  }

  /// Where it is.
  public let path: HARPath
  /// What is wrong there.
  public let kind: Kind

  /// Makes a warning.
  public init(path: HARPath, kind: Kind) {
    self.path = path
    self.kind = kind
  }
}

extension HARReadWarning: CustomStringConvertible {
  /// The place and a sentence.
  public var description: String {
    "\(path): \(text)"
  }

  /// A sentence without the place.
  public var text: String {
    switch kind {
    case .missing: "a required member is missing"
    case .null: "HAR has no null here"
    case .wrongType(let expected, let found): "expected \(expected), found \(found)"
    case .quoted: "a number or truth value is in quotes"
    case .unquoted: "a number is in the place of a text"
    case .fraction: "a whole number has a fraction"
    case .duplicate: "the name appears twice in its object"
    }
  }
}
