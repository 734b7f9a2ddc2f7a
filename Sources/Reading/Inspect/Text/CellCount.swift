extension String {
  /// How many terminal cells this text takes: two for each wide character of East Asian scripts and for each emoji, none
  /// for a combining mark.
  package var cellCount: Int {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.cellCount }
  }

  /// The longest beginning that takes at most `cells`.
  func prefix(cells: Int) -> Substring {
    guard cells > 0 else { return "" }
    var taken = 0
    return prefix {
      taken += $0.cellCount
      return taken <= cells
    }
  }

  /// The longest ending that takes at most `cells`.
  func suffix(cells: Int) -> Substring {
    var taken = 0
    var start = endIndex
    while start > startIndex {
      let previous = index(before: start)
      taken += self[previous].cellCount
      if taken > cells { break }
      start = previous
    }
    return self[start...]
  }

  /// This text, padded at its end to `width` cells; longer text is left as it is.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - cellCount))
  }

  /// This text, padded at its start to `width` cells; longer text is left as it is.
  package func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - cellCount)) + self
  }

  /// This text in at most `width` cells: an ellipsis replaces its middle.
  ///
  /// Both ends of a URL are useful: the host at the start, the resource at the end.
  package func elided(to width: Int) -> String {
    guard cellCount > width else { return self }
    guard width > 1 else { return String(prefix(cells: max(0, width))) }
    let kept = width - 1
    return String(prefix(cells: kept - kept / 2)) + "…" + String(suffix(cells: kept / 2))
  }

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

extension Character {
  var cellCount: Int {
    guard let first = unicodeScalars.first, unicodeScalars.dropFirst().first != nil || first.value >= 0x300 else { return 1 }
    // An emoji made of several characters is drawn as one, and a flag is made of two letters.
    if first.properties.isEmojiPresentation { return 2 }
    return unicodeScalars.reduce(0) { $0 + $1.cellCount }
  }
}

extension Unicode.Scalar {
  /// Combining marks and format characters have no cell of their own.
  fileprivate var cellCount: Int {
    guard value >= 0x300 else { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // The vowels and finals of a Hangul syllable are drawn in the cells of its first consonant.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return wideRanges.contains { $0.contains(value) } ? 2 : 1
  }
}

/// Scalars of East Asian width W or F (Unicode Standard Annex 11), by blocks.
private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
  0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
  0x20000...0x3FFFD,
]
