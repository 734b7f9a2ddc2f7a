package import TapelineHAR

/// A difference between what tapeline received and what it sent on, from an entry's `_changes`.
package struct RecordedChange: Sendable, Hashable {
  private let leg: String
  private let change: String
  private let name: String
  private let from: String?
  private let to: String?
  private let isTrailer: Bool

  /// In the order of the log; empty if the log has no changes, or if the exchange was relayed unchanged.
  package static func all(of entry: HAREntry) -> [RecordedChange] {
    (entry.custom["_changes"]?.array ?? []).compactMap(RecordedChange.init)
  }

  private init?(_ value: HARValue) {
    guard let leg = value["leg"]?.string, let change = value["change"]?.string, let name = value["name"]?.string else {
      return nil
    }
    self.leg = leg
    self.change = change
    self.name = name
    from = value["from"]?.string
    to = value["to"]?.string
    isTrailer = value["trailer"]?.bool == true
  }

  /// `request: removed Proxy-Connection: Keep-Alive`.
  package var text: String {
    switch name {
    case ":alpn": "ALPN: client offered \(from ?? "nothing"); we spoke \(to ?? "nothing")"
    case ":version": "\(leg): HTTP version \(from ?? "") sent on as \(to ?? "")"
    case ":status": "\(leg): \(change) interim response \(from ?? to ?? "")"
    case let field: "\(leg): \(fieldText(field))"
    }
  }

  private func fieldText(_ field: String) -> String {
    let name = isTrailer ? "trailer \(field)" : field
    switch (from, to) {
    case (let from?, let to?): return "\(change) \(name): \(from) → \(to)"
    case (let value?, nil), (nil, let value?): return "\(change) \(name): \(value)"
    case (nil, nil): return "\(change) \(name)"
    }
  }
}

/// The client ended the exchange before it was complete, which is not a failure: it closed a stream or gave up a prefetch.
package struct RecordedEnd: Sendable, Hashable {
  /// The phase in which the client ended the exchange, with the names of `_error`.
  package let phase: String

  /// Reads `_ended`; `nil` when the exchange was completed or failed.
  package init?(_ entry: HAREntry) {
    guard let end = entry.custom["_ended"], case .object = end else { return nil }
    phase = end["phase"]?.string ?? "unknown"
  }

  /// `ended by the client while waiting`.
  package var text: String {
    "ended by the client \(moment)"
  }

  /// Whether the exchange was still in flight when this log was copied (`_inFlight`).
  package static func isOutstanding(for entry: HAREntry) -> Bool {
    entry.custom["_inFlight"] == .bool(true)
  }

  private var moment: String {
    switch phase {
    case "request": "while it was sending the request"
    case "dns": "while the host's name was looked up"
    case "connect": "while a connection was opened"
    case "tls": "while TLS was set up"
    case "send": "while the request was sent on"
    case "wait": "while waiting"
    case "receive": "while receiving"
    case let other: "in phase \(other)"
    }
  }
}

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
    if let error = entry.custom["_error"] ?? entry.response.custom["_error"], error != .null {
      self.init(error)
    } else {
      guard entry.response.status == 0, RecordedEnd(entry) == nil, !RecordedEnd.isOutstanding(for: entry) else { return nil }
      self.init(message: "no response", members: nil)
    }
  }

  /// Reads an `_error`; `nil` when it is null, as Chrome writes it where nothing failed.
  init?(_ error: HARValue) {
    switch error {
    case .string(let text): self.init(message: text, members: nil)
    case .object(let members): self.init(message: members["message"]?.string ?? "failed", members: members)
    case .bool, .number, .array: self.init(message: "failed", members: nil)
    case .null: return nil
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
