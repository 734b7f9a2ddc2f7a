internal import ArgumentParser
internal import TapelineInspect

/// How a result looks.
struct StyleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("When to use colours; auto means on a terminal, unless NO_COLOR is set.", valueName: "auto|always|never"))
  var color = Color.auto

  enum Color: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never
  }

  func palette(environment: [String: String]) -> Palette {
    let isColored =
      switch color {
      case .auto: Terminal.wantsColor(environment: environment)
      case .always: true
      case .never: false
      }
    return Palette(isColored: isColored, isUnicode: Terminal.isUnicode(environment: environment))
  }
}
