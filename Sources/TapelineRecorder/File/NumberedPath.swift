/// The names of a capture's files: `a.har`, then `a-1.har`, `a-2.har`, …
struct NumberedPath {
  private let stem: Substring
  private let suffix: Substring

  init(_ path: String) {
    let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    // A dot at the start of a name makes it hidden and is no extension.
    let dot = path[nameStart...].dropFirst().lastIndex(of: ".") ?? path.endIndex
    stem = path[..<dot]
    suffix = path[dot...]
  }

  func numbered(_ number: Int) -> String {
    "\(stem)-\(number)\(suffix)"
  }
}
