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

extension QueryError {
  private static let margin = 2
  private static let excerptWidth = 76

  /// Two lines: the query, or what stands around the trouble in a long one, and a caret under the column.
  package func excerpt(of query: String) -> [String] {
    let characters = Array(query.printable)
    let place = min(offset, characters.count)
    // The trouble stands in the last quarter of what is cut out, so that what led to it can be read.
    let start = characters.count <= Self.excerptWidth ? 0 : max(0, place - Self.excerptWidth * 3 / 4)
    let end = min(characters.count, start + Self.excerptWidth)
    let shown = String(characters[start..<end])
    let indent = String(repeating: " ", count: Self.margin + String(characters[start..<max(start, place)]).cellCount)
    return [String(repeating: " ", count: Self.margin) + shown, indent + "^"]
  }
}
