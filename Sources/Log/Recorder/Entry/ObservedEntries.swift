package import TapelineCore
package import TapelineHAR
package import TapelineRedaction
internal import TapelineTime

/// Makes entries of exchanges that another program has seen: by the rules of a recording, without the members that only a proxy
/// can know.
package struct ObservedEntries: ~Copyable {
  private var writer: EntryWriter

  /// The instants of all records are nanoseconds since 1970-01-01T00:00:00Z.
  private static let anchor = WallClockAnchor(unixNanoseconds: 0, instant: MonotonicInstant(nanoseconds: 0))

  /// The measurements and numbers of a proxy itself.
  private static let ownMembers: [HARMember] = [
    .blocked, .exchangeID, .clientConnectionID, .attempts, .timeline, .events, .clock, .overhead,
  ]

  /// The same within `_http2`.
  private static let ownStreamMembers = ["windowStalls", "sendStalled", "receiveStalled"]

  /// - Parameter rules: the rules for redaction; `nil` keeps all secrets.
  package init(redactingBy rules: RedactionRules?) {
    writer = EntryWriter(anchor: Self.anchor, redactor: rules.map { Redactor($0) }, includesDebug: false)
  }

  /// The entry of an exchange, on the first page. Its `timings.blocked` is 0 if the marks do not say more.
  package mutating func entry(of record: ExchangeRecord) throws(HARReadError) -> HAREntry {
    var text = JSONWriter()
    _ = writer.append(record, page: .first, to: &text)
    var entry = try HAREntry(json: text.bytes)
    for member in Self.ownMembers { entry.custom[member] = nil }
    if var http2 = entry.custom[.http2]?.object {
      http2.members.removeAll { Self.ownStreamMembers.contains($0.name) }
      entry.custom[.http2] = .object(http2)
    }
    return entry
  }
}
