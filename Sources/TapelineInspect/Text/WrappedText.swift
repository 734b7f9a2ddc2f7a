extension String {
  /// This text in lines of at most `width` cells, broken at spaces; a word that is wider gets its own line.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, last.cellCount + 1 + String(word).cellCount <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
