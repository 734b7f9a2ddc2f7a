internal import Glibc
internal import TapelineInspect

/// What stdout is, as far as the look of a result depends on it.
enum Terminal {
  private static let defaultWidth = 80
  private static let acceptableWidths = 20...1_000

  /// The terminal's width; where stdout is no terminal, `COLUMNS`, or else 80.
  static func width(environment: [String: String]) -> Int {
    windowWidth ?? environment["COLUMNS"].flatMap(Int.init).flatMap(acceptable) ?? defaultWidth
  }

  /// Colour only on a terminal that can, and only where `NO_COLOR` does not ask for none.
  static func palette(environment: [String: String]) -> Palette {
    let isWanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    return Palette(isColored: isWanted && isatty(STDOUT_FILENO) == 1)
  }

  private static var windowWidth: Int? {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return acceptable(Int(size.ws_col))
  }

  private static func acceptable(_ width: Int) -> Int? {
    acceptableWidths.contains(width) ? width : nil
  }
}
