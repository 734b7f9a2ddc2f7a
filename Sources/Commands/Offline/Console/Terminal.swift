package import TapelineInspect
internal import TapelineSystem

/// The properties of stdout that the look of a result depends on.
package enum Terminal {
  private static let defaultWidth = 80
  private static let acceptableWidths = 20...1_000

  /// The terminal's width; if stdout is not a terminal, `COLUMNS`, or else 80.
  package static func width(environment: [String: String]) -> Int {
    windowWidth ?? environment["COLUMNS"].flatMap(Int.init).flatMap(acceptable) ?? defaultWidth
  }

  /// Colour only on a terminal that can show it, and only if `NO_COLOR` is unset or empty.
  package static func wantsColor(environment: [String: String]) -> Bool {
    environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb" && isTerminal
  }

  /// Whether the locale uses UTF-8, by the variables of POSIX in their order.
  package static func isUnicode(environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = locale?.lowercased() ?? ""
    return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
  }

  /// Adds the style that stdout needs if it is a terminal.
  package static func csvStyle(_ style: CSVLine.Style) -> CSVLine.Style {
    isTerminal ? style.union(.terminal) : style
  }

  package static var isTerminal: Bool { TerminalDevice.isTerminal(StandardStream.output) }

  private static var windowWidth: Int? {
    TerminalDevice.size(of: StandardStream.output).flatMap { acceptable($0.columns) }
  }

  private static func acceptable(_ width: Int) -> Int? {
    acceptableWidths.contains(width) ? width : nil
  }
}
