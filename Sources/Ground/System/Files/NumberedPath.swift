/// The names of a capture's files: `a.har`, then `a-001.har`, `a-002.har`, …
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

  /// `a-001.har`: such names sort as the files were written, up to the thousandth.
  package func numbered(_ number: Int) -> String {
    "\(stem)-\(Self.padded(number))\(suffix)"
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  /// Whether the file at `left` is listed before the one at `right`: by their paths, the numbered files of a capture after it.
  package static func inOrder(_ left: String, _ right: String) -> Bool {
    let (leftCapture, leftNumber) = place(of: left)
    let (rightCapture, rightNumber) = place(of: right)
    guard leftCapture == rightCapture else { return leftCapture.utf8.lexicographicallyPrecedes(rightCapture.utf8) }
    return leftNumber < rightNumber
  }

  private static func place(of path: String) -> (capture: String, number: Int) {
    guard let origin = NumberedPath(path).origin else { return (path, 0) }
    return ("\(origin.capture.stem)\(origin.capture.suffix)", origin.number)
  }

  /// The capture to which this numbered file belongs, and the number, if it is one: `a-002.har` → `a.har`, 2.
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

  /// Accepts only the format of `numbered`, and numbers without zeros, which earlier versions wrote.
  private static func number(_ text: Substring) -> Int? {
    guard let number = Int(text), number > 0, String(number) == text || padded(number) == text else { return nil }
    return number
  }
}
