package import TapelineHAR

/// Something that a rule of the user's did to an exchange, from an entry's `_injected`.
package struct RecordedInjection: Sendable, Hashable {
  private let rule: String
  private let action: String
  /// The time that it took, in milliseconds.
  private let milliseconds: Double

  /// In the order of the rules; empty if none changed the exchange.
  package static func all(of entry: HAREntry) -> [RecordedInjection] {
    (entry.custom[.injected]?.array ?? []).compactMap(RecordedInjection.init)
  }

  private init?(_ value: HARValue) {
    guard let rule = value["rule"]?.string, let action = value["action"]?.string else { return nil }
    self.rule = rule
    self.action = action
    milliseconds = value["ms"]?.double ?? 0
  }

  /// `delay 200ms (path == "/slow"), 200.1ms`.
  package var text: String {
    "\(action) (\(rule))" + (milliseconds > 0 ? ", \(DurationText.compact(milliseconds))" : "")
  }
}
