/// The style of a piece of text on a terminal (ECMA-48 SGR), in the terminal's own palette.
package enum TerminalStyle: String, Sendable {
  case plain = ""
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case blue = "34"
  case magenta = "35"
  case cyan = "36"
  case brightBlack = "90"
  case brightBlue = "94"
}

/// Writes styled text if styles are wanted, else the bare text.
package struct Palette: Sendable {
  package let isColored: Bool
  /// Whether bars may use characters beyond ASCII.
  package let isUnicode: Bool

  package init(isColored: Bool, isUnicode: Bool = true) {
    self.isColored = isColored
    self.isUnicode = isUnicode
  }

  package func apply(_ style: @autoclosure () -> TerminalStyle, to text: String) -> String {
    guard isColored, !text.isEmpty else { return text }
    let style = style()
    guard style != .plain else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
