package import TapelineHAR

/// A condition on exchanges, as people write it: `host ~ "api" and status >= 500`. `docs/query.md` has the language.
package struct Query: Sendable {
  private let expression: QueryExpression

  package init(_ text: String) throws(QueryError) {
    expression = try QueryParser.parse(text)
  }

  /// The parts of an entry that `matches` needs.
  package var parts: HAREntryParts { expression.parts }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package func matches(_ entry: HAREntry, number: Int) -> Bool {
    expression.matches(entry, number: number)
  }
}
