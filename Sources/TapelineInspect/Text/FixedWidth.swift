extension String {
  /// This text, padded at its end to `width` characters; longer text is left as it is.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// This text, padded at its start to `width` characters; longer text is left as it is.
  package func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// This text in at most `width` characters: an ellipsis takes the place of its middle.
  ///
  /// Both ends of a URL say something: the host at the start, the resource at the end.
  package func elided(to width: Int) -> String {
    guard count > width else { return self }
    guard width > 1 else { return String(prefix(max(0, width))) }
    let kept = width - 1
    return String(prefix(kept - kept / 2)) + "…" + String(suffix(kept / 2))
  }
}
