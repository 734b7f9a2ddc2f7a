/// Markup languages into which text from others is inserted.
package enum Markup: Sendable {
  /// HTML, as text of an element or between double quotes.
  case html
  /// XML 1.0 (2.2, 2.4, 3.3.3), as text of an element or between double quotes: white space other than blanks is written as
  /// references, so that attributes keep it, and characters that XML cannot hold become U+FFFD.
  case xml
}

extension String {
  /// This text as `markup` writes it: nothing in it can end the text or begin an element.
  ///
  /// It works on scalars: a combining mark after `<` makes one character of the two, but not for a parser.
  package func escaped(for markup: Markup) -> String {
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch (scalar, markup) {
      case ("&", _): text += "&amp;"
      case ("<", _): text += "&lt;"
      case (">", _): text += "&gt;"
      case ("\"", _): text += "&quot;"
      case ("\t", .xml), ("\n", .xml), ("\r", .xml): text += "&#\(scalar.value);"
      case ("\u{0}"..<" ", .xml), ("\u{FFFE}", .xml), ("\u{FFFF}", .xml): text.unicodeScalars.append("\u{FFFD}")
      case (_, .html), (_, .xml): text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
