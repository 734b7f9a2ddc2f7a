/// The names of a capture's files: `a.har`, then `a-1.har`, `a-2.har`, …
package struct NumberedPath: Sendable {
  private let stem: Substring
  private let suffix: Substring

  package init(_ path: String) {
    let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    // A dot at the start of a name makes it hidden and does not begin an extension.
    let dot = path[nameStart...].dropFirst().lastIndex(of: ".") ?? path.endIndex
    stem = path[..<dot]
    suffix = path[dot...]
  }

  package func numbered(_ number: Int) -> String {
    "\(stem)-\(number)\(suffix)"
  }

  /// The capture to which this numbered file belongs, and the number, if it is one: `a-2.har` → `a.har`, 2.
  package var origin: (capture: NumberedPath, number: Int)? {
    guard let dash = stem.lastIndex(of: "-"), let number = Self.number(stem[stem.index(after: dash)...]) else { return nil }
    let start = stem[..<dash]
    return start.isEmpty || start.hasSuffix("/") ? nil : (NumberedPath("\(start)\(suffix)"), number)
  }

  /// The number of a file of this capture; `nil` if `path` is not one of them.
  package func number(of path: String) -> Int? {
    guard path.hasPrefix("\(stem)-"), path.hasSuffix(suffix) else { return nil }
    return Self.number(path.dropFirst(stem.count + 1).dropLast(suffix.count))
  }

  /// Accepts only the format of `numbered`.
  private static func number(_ text: Substring) -> Int? {
    guard let number = Int(text), number > 0, String(number) == text else { return nil }
    return number
  }
}
