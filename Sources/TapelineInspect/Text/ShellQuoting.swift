extension String {
  /// This text as one word of a POSIX shell command line.
  ///
  /// Words of harmless characters stay bare; others go between single quotes, in which a shell changes nothing. A newline and a
  /// tab are safe there as they are; other control characters must not reach a terminal raw, and only `$'…'` can spell them
  /// (bash, zsh, ksh, POSIX.1-2024).
  package var shellQuoted: String {
    if !isEmpty, utf8.allSatisfy(isHarmlessInShell) { return self }
    guard hasHiddenControls else { return "'" + splitJoin("'", with: #"'\''"#) + "'" }
    var quoted = "$'"
    for scalar in unicodeScalars {
      switch scalar {
      case "'", "\\": quoted += "\\" + String(scalar)
      case "\n": quoted += #"\n"#
      case "\r": quoted += #"\r"#
      case "\t": quoted += #"\t"#
      case _ where scalar.isControl: quoted += hexEscaped(scalar)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "'"
  }

  /// Whether single quotes cannot carry this text to a shell through a terminal.
  package var hasHiddenControls: Bool {
    unicodeScalars.contains { $0.isControl && $0 != "\n" && $0 != "\t" }
  }

  private func splitJoin(_ separator: Character, with replacement: String) -> String {
    split(separator: separator, omittingEmptySubsequences: false).joined(separator: replacement)
  }
}

extension Unicode.Scalar {
  /// C0, DEL and C1: what a terminal may act upon instead of showing it.
  var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value)
  }
}

private func isHarmlessInShell(_ octet: UInt8) -> Bool {
  switch octet {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"),
    UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: ","):
    true
  default:
    false
  }
}

private func hexEscaped(_ scalar: Unicode.Scalar) -> String {
  String(scalar).utf8.map { #"\x"# + ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
}
