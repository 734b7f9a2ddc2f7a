/// Why a query cannot be understood, and the place of the error.
package struct QueryError: Error, Hashable, Sendable {
  /// The error in a few words.
  package let reason: String
  /// How to fix the query.
  package let remedy: String
  /// The number of characters before the error.
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

  /// Two lines: the query, or the part of a long query around the error, and a caret under the column.
  package func excerpt(of query: String) -> [String] {
    let characters = Array(query.printable)
    let place = min(offset, characters.count)
    // The error is in the last quarter of the excerpt, so that the text before it can be read.
    let start = characters.count <= Self.excerptWidth ? 0 : max(0, place - Self.excerptWidth * 3 / 4)
    let end = min(characters.count, start + Self.excerptWidth)
    let shown = String(characters[start..<end])
    let indent = String(repeating: " ", count: Self.margin + String(characters[start..<max(start, place)]).cellCount)
    return [String(repeating: " ", count: Self.margin) + shown, indent + "^"]
  }
}
