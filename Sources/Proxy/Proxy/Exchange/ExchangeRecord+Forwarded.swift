internal import TapelineCore
internal import TapelineTime

/// A forwarded exchange writes this into its record at its end.
extension ExchangeRecord {
  /// Lets the phase of sending last as long as the exchange did, or its response.
  mutating func leaveSending() {
    guard !isBrokenOff, inFlightAt == nil, let last = marks[.sentLast] ?? marks[.sentFirst] else { return marks.clear(.sentLast) }
    marks.move(.sentLast, to: max(last, marks[.responseLastByte] ?? last))
  }
}
