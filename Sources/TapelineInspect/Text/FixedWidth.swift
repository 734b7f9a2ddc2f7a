extension String {
  /// This text, padded at its end to `width` cells; longer text is left as it is.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - cellCount))
  }

  /// This text, padded at its start to `width` cells; longer text is left as it is.
  package func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - cellCount)) + self
  }

  /// This text in at most `width` cells: an ellipsis replaces its middle.
  ///
  /// Both ends of a URL are useful: the host at the start, the resource at the end.
  package func elided(to width: Int) -> String {
    guard cellCount > width else { return self }
    guard width > 1 else { return String(prefix(cells: max(0, width))) }
    let kept = width - 1
    return String(prefix(cells: kept - kept / 2)) + "…" + String(suffix(cells: kept / 2))
  }
}
