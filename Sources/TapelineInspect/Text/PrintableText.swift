extension String {
  /// This text with every control character replaced by U+FFFD, one for one.
  ///
  /// URLs, field values and messages come from strangers: none of their octets may drive the terminal of who reads a log.
  package var printable: String {
    replacingControls { $0.isControl }
  }

  /// As `printable`, but lines stay lines and tabs stay tabs.
  package var printableLines: String {
    replacingControls { $0.isControl && $0 != "\n" && $0 != "\t" }
  }

  private func replacingControls(where isUnwanted: (Unicode.Scalar) -> Bool) -> String {
    guard unicodeScalars.contains(where: isUnwanted) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      text.unicodeScalars.append(isUnwanted(scalar) ? "\u{FFFD}" : scalar)
    }
    return text
  }
}
