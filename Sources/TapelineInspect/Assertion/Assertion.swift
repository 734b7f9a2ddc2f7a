package import TapelineHAR

/// A rule that a capture must keep, as people write it: `p95(wait, host ~ "api") < 200ms`. `docs/assert.md` has the language.
package struct Assertion: Sendable {
  /// The position of a rule in a file of rules.
  package struct Origin: Hashable, Sendable {
    package let file: String
    /// From 1.
    package let line: Int
  }

  package let text: String
  package let origin: Origin?
  let statement: AssertionStatement
  /// If no exchange matches, the rule is skipped and does not fail.
  let isOptional: Bool

  package init(_ text: String, origin: Origin? = nil) throws(QueryError) {
    self.text = text
    self.origin = origin
    (statement, isOptional) = try AssertionParser.parse(text)
  }

  /// The parts of an entry that the rule needs, in the capture and in the baseline.
  package var parts: HAREntryParts { statement.parts }

  /// The capture to compare with, as the rule names it.
  package var baseline: String? { statement.baseline }
}
