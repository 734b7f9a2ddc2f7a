extension Phase {
  /// The phase's colour in strips and bars.
  package var style: TerminalStyle {
    switch self {
    case .client: .brightBlack
    case .blocked: .dim
    case .dns: .blue
    case .connect: .yellow
    case .ssl: .magenta
    case .send: .cyan
    case .wait: .green
    case .receive: .brightBlue
    }
  }

  /// `b blocked  d dns  c connect  t TLS …`, each in its colour.
  package static func legend(palette: Palette) -> String {
    allCases.map { phase in
      let sign = palette.isColored && palette.isUnicode ? PhaseStrip.block : String(phase.letter)
      return palette.apply(phase.style, to: sign) + " " + (phase == .ssl ? "TLS" : phase.name)
    }.joined(separator: "  ")
  }
}
