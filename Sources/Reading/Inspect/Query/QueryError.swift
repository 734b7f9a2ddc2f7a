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

/// Finds the name that was probably meant by a misspelled one.
package enum Spelling {
  /// The known name with the smallest difference, if the difference is small; `nil` if no name is close.
  package static func nearest(to name: String, among known: [String]) -> String? {
    let ranked = known.map { (name: $0, distance: distance(Array(name), Array($0.prefix { $0 != "[" }))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= max(1, name.count / 3) else { return nil }
    return best.name
  }

  /// Asks for the name that was probably meant, or says the others.
  package static func remedy(for name: String, among known: [String], else others: String) -> String {
    nearest(to: name, among: known).map { "did you mean \($0)?" } ?? others
  }

  /// The number of letters to insert, remove, replace or swap with their neighbour (Damerau-Levenshtein, of adjacent letters).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1] + [Int](repeating: 0, count: right.count)
      for j in right.indices {
        let replaced = last[j] + (left[i] == right[j] ? 0 : 1)
        row[j + 1] = min(replaced, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1) }
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
