/// The relative path from one directory to another.
package enum RelativePath {
  /// Both paths are absolute and without links. The result ends with a slash; it is empty when they are the same.
  package static func from(_ start: String, to end: String) -> String {
    let from = start.split(separator: "/")
    let to = end.split(separator: "/")
    var common = 0
    while common < min(from.count, to.count), from[common] == to[common] { common += 1 }
    let ways = Array(repeating: "..", count: from.count - common) + to[common...].map(String.init)
    return ways.map { "\($0)/" }.joined()
  }
}
