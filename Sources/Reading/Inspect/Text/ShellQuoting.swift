internal import TapelineBase

extension String {
  /// This text as one word of a command line, the same word for sh (dash), bash, zsh and fish.
  ///
  /// Words of harmless characters stay bare. Other words go in single quotes, in which these shells change nothing, except for
  /// fish and backslashes; so backslashes and quotes go outside, each after a backslash. `printf`, which every shell has, writes
  /// characters that could control a terminal in octal: dash does not know `$'…'`, and would end the quotes early. A newline or a
  /// tab stays as it is: a command substitution would lose the newlines at its end.
  ///
  /// A NUL is left out: an argument cannot hold one.
  package var shellQuoted: String {
    if isHarmlessWord { return self }
    var word = ShellWord()
    // Interactive bash before 5.0 forgets the quotes at the end of a line, and would look up history after a `!` in the next.
    let hidesMarks = unicodeScalars.contains("\n")
    for scalar in unicodeScalars where scalar != "\0" {
      switch scalar {
      case "'", "\\": word.append(escaped: scalar)
      case "!" where hidesMarks: word.append(octal: scalar)
      case _ where scalar.isHiddenControl: word.append(octal: scalar)
      default: word.append(quoted: scalar)
      }
    }
    return word.finished
  }

  /// Whether single quotes cannot carry this text to a shell through a terminal.
  package var hasHiddenControls: Bool {
    unicodeScalars.contains(where: \.isHiddenControl)
  }

  /// Whether no shell gives any of the characters a meaning. fish reads a `%` at the start of a word.
  private var isHarmlessWord: Bool {
    !isEmpty && utf8.first != UInt8(ascii: "%") && utf8.allSatisfy(ByteSet.harmlessInShell.contains)
  }
}

/// A word being built, with the quotes that are open at its end.
private struct ShellWord {
  private var text = ""
  private var context = Context.bare

  private enum Context {
    case bare
    case quotes
    case substitution

    var opening: String {
      switch self {
      case .bare: ""
      case .quotes: "'"
      case .substitution: "\"$(printf '"
      }
    }

    var closing: String {
      switch self {
      case .bare: ""
      case .quotes: "'"
      case .substitution: "')\""
      }
    }
  }

  mutating func append(quoted scalar: Unicode.Scalar) {
    enter(.quotes)
    text.unicodeScalars.append(scalar)
  }

  mutating func append(escaped scalar: Unicode.Scalar) {
    enter(.bare)
    text += "\\"
    text.unicodeScalars.append(scalar)
  }

  mutating func append(octal scalar: Unicode.Scalar) {
    enter(.substitution)
    for byte in String(scalar).utf8 {
      let digits = String(byte, radix: 8)
      text += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }
  }

  /// The whole word; empty quotes for an empty word.
  var finished: String {
    text.isEmpty ? "''" : text + context.closing
  }

  private mutating func enter(_ next: Context) {
    guard next != context else { return }
    text += context.closing + next.opening
    context = next
  }
}

extension ByteSet {
  fileprivate static let harmlessInShell = ByteSet.alphanumeric.union("-_./:@%+,")
}
