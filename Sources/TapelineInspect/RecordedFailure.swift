package import TapelineHAR

/// Why an exchange failed, according to its log.
package struct RecordedFailure: Sendable, Hashable {
  /// A sentence for people.
  package let message: String
  /// The side at fault and the phase: only our own logs have them.
  package let origin: String?
  package let phase: String?
  package let kind: String?
  /// The tapeline option whose limit ended the exchange.
  package let option: String?

  /// Reads `_error`: our object in the entry, or the text that browsers put into the response. `nil` when nothing failed.
  package init?(_ entry: HAREntry) {
    // Chrome writes null where nothing failed.
    guard let error = entry.custom["_error"] ?? entry.response.custom["_error"], error != .null else {
      guard entry.response.status == 0, RecordedEnd(entry) == nil, !RecordedEnd.isOutstanding(for: entry) else { return nil }
      self.init(message: "no response", members: nil)
      return
    }
    switch error {
    case .string(let text): self.init(message: text, members: nil)
    case .object(let members): self.init(message: members["message"]?.string ?? "failed", members: members)
    case .null, .bool, .number, .array: self.init(message: "failed", members: nil)
    }
  }

  private init(message: String, members: HARObject?) {
    origin = members?["origin"]?.string
    phase = members?["phase"]?.string
    kind = members?["kind"]?.string
    option = members?["option"]?.string
    // The sentence also ends with the option, for readers that do not know the member.
    let ending = option.map { " (\($0))" } ?? ""
    self.message = message.hasSuffix(ending) ? String(message.dropLast(ending.count)) : message
  }

  /// `upstream refused in connect`, `local timed-out in receive (--idle-timeout)`: the same text for all failures of a kind.
  /// `nil` for logs that have none of these facts.
  package var facts: String? {
    let facts = [origin, kind, phase.map { "in \($0)" }, option.map { "(\($0))" }].compactMap(\.self)
    return facts.isEmpty ? nil : facts.joined(separator: " ")
  }

  /// `upstream refused in connect: Connection refused`, as far as the facts are known.
  package var text: String {
    facts.map { "\($0): \(message)" } ?? message
  }
}
