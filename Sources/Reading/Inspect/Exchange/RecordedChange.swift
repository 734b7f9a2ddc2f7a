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
    (entry.custom[.changes]?.array ?? []).compactMap(RecordedChange.init)
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
