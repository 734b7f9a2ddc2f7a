extension Palette {
  /// Lines for a terminal that may support only ASCII.
  func signs(in lines: [String]) -> [String] {
    isUnicode ? lines : lines.map { $0.replacing("→", with: "->").replacing("×", with: "x").replacing("…", with: "..") }
  }
}
