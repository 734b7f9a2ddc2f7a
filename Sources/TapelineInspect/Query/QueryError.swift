/// Why a query cannot be understood, and where.
package struct QueryError: Error, Hashable, Sendable {
  /// What is wrong, in a few words.
  package let reason: String
  /// What to write instead.
  package let remedy: String
  /// Characters of the query before the trouble.
  package let offset: Int

  package init(_ reason: String, remedy: String, at offset: Int) {
    self.reason = reason
    self.remedy = remedy
    self.offset = offset
  }

  /// Counted from 1, as people and editors do.
  package var column: Int { offset + 1 }
}

extension QueryError: CustomStringConvertible {
  package var description: String {
    "column \(column): \(reason)"
  }
}
