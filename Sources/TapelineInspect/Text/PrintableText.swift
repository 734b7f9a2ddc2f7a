extension String {
  /// This text with every character that could control a terminal replaced by U+FFFD, one for one.
  ///
  /// URLs, field values and messages come from strangers: none of their bytes may move the cursor of a person who reads a log, or
  /// turn the direction of the text so that it looks like something else.
  package var printable: String {
    replacing { $0.isControl || $0.turnsText }
  }

  /// As `printable`, but lines stay lines and tabs stay tabs.
  package var printableLines: String {
    replacing(where: \.isHiddenControl)
  }

  /// A stranger's bytes as lines of text.
  package init(printableLinesOf bytes: [UInt8]) {
    self = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").printableLines
  }

  private func replacing(where isUnwanted: (Unicode.Scalar) -> Bool) -> String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    guard unicodeScalars.contains(where: isUnwanted) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      text.unicodeScalars.append(isUnwanted(scalar) ? "\u{FFFD}" : scalar)
    }
    return text
  }
}

extension Unicode.Scalar {
  /// C0, DEL and C1: characters that a terminal may act on instead of showing them.
  var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value)
  }

  /// Line separators and the explicit formatting of bidirectional text (Unicode Standard Annex 9).
  var turnsText: Bool {
    switch value {
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Characters that must not reach a terminal, in a text whose lines and tabs stay.
  var isHiddenControl: Bool {
    (isControl || turnsText) && self != "\n" && self != "\t"
  }
}
