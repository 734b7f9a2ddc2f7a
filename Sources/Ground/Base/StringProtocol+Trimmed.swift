extension StringProtocol {
  /// Without the blanks, tabs and line ends around it.
  package var trimmed: SubSequence {
    let rest = drop { $0.isWhitespace }
    return rest[..<(rest.lastIndex { !$0.isWhitespace }.map { rest.index(after: $0) } ?? rest.startIndex)]
  }
}
