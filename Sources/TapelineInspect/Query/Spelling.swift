/// Finds the name that was probably meant by a misspelled one.
package enum Spelling {
  /// The known name with the smallest difference, if the difference is small; `nil` if no name is close.
  package static func nearest(to name: String, among known: [String]) -> String? {
    let ranked = known.map { (name: $0, distance: distance(Array(name), Array($0.prefix { $0 != "[" }))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= max(1, name.count / 3) else { return nil }
    return best.name
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
