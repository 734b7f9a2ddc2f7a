/// A field value of the form `value; name=value; name="quoted"` (RFC 9110 5.6.6): what `Content-Type` and `Content-Disposition` have.
struct FieldParameters {
  /// What stands before the first semicolon, without blanks around it.
  let value: String
  /// In order; names in lower case, values without quotes.
  let parameters: [(name: String, value: String)]

  init(_ field: String) {
    var pieces = Self.split(field)
    value = pieces.isEmpty ? "" : Self.trimmed(pieces.removeFirst()[...])
    parameters = pieces.compactMap(Self.parameter)
  }

  /// The value of the first parameter called `name`, which is given in lower case.
  subscript(name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// The text between semicolons that are not in quotes.
  private static func split(_ field: String) -> [String] {
    var pieces = [""]
    var isQuoted = false
    var isEscaped = false
    for scalar in field.unicodeScalars {
      if scalar == ";", !isQuoted {
        pieces.append("")
        continue
      }
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\", isQuoted {
        isEscaped = true
      } else if scalar == "\"" {
        isQuoted.toggle()
      }
      pieces[pieces.count - 1].unicodeScalars.append(scalar)
    }
    return pieces
  }

  private static func parameter(_ piece: String) -> (name: String, value: String)? {
    guard let equals = piece.firstIndex(of: "=") else { return nil }
    let name = trimmed(piece[..<equals]).lowercased()
    let value = trimmed(piece[piece.index(after: equals)...])
    return name.isEmpty ? nil : (name, value.hasPrefix("\"") ? unquoted(value) : value)
  }

  /// The content of a quoted-string (RFC 9110 5.6.4); one that nobody closed goes to the end.
  private static func unquoted(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for scalar in text.unicodeScalars.dropFirst() {
      if isEscaped {
        isEscaped = false
        result.unicodeScalars.append(scalar)
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        return result
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = text.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }
}
