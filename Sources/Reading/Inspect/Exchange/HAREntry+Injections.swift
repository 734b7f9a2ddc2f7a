internal import TapelineHAR

extension HAREntry {
  /// A line for each rule that did something, in their order: `delay 200ms (path == "/slow"), 200.1ms`.
  var injections: [String] {
    (custom[.injected]?.array ?? []).compactMap { value in
      guard let rule = value["rule"]?.string, let action = value["action"]?.string else { return nil }
      let milliseconds = value["ms"]?.double ?? 0
      return "\(action) (\(rule))" + (milliseconds > 0 ? ", \(DurationText.compact(milliseconds))" : "")
    }
  }
}
