internal import TapelineInspect
internal import TapelineSystem

/// What stdout is, as far as the look of a result depends on it.
enum Terminal {
  private static let defaultWidth = 80
  private static let acceptableWidths = 20...1_000

  /// The terminal's width; where stdout is no terminal, `COLUMNS`, or else 80.
  static func width(environment: [String: String]) -> Int {
    windowWidth ?? environment["COLUMNS"].flatMap(Int.init).flatMap(acceptable) ?? defaultWidth
  }

  /// Colour only on a terminal that can, and only where `NO_COLOR` does not ask for none.
  static func wantsColor(environment: [String: String]) -> Bool {
    environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb" && isTerminal
  }

  /// Whether the locale is one of UTF-8, by the variables and in the order of POSIX.
  static func isUnicode(environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = locale?.lowercased() ?? ""
    return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
  }

  /// With what stdout needs, should it be a terminal.
  static func csvStyle(_ style: CSVLine.Style) -> CSVLine.Style {
    isTerminal ? style.union(.terminal) : style
  }

  static var isTerminal: Bool { TerminalDevice.isTerminal(StandardStream.output) }

  private static var windowWidth: Int? {
    TerminalDevice.size(of: StandardStream.output).flatMap { acceptable($0.columns) }
  }

  private static func acceptable(_ width: Int) -> Int? {
    acceptableWidths.contains(width) ? width : nil
  }
}
