/// The events of one exchange, in the order of an ordinary exchange.
///
/// `docs/timeline.md` draws all of them in one picture. The raw value is the slot in `TimelineMarks`.
package enum TimelineMark: UInt8, CaseIterable, Sendable {
  // The client's side.
  case accepted
  /// Only for the exchange that paid for a CONNECT: the CONNECT's head was complete. Its first byte is then `requestFirstByte`.
  case tunnelHeadEnd
  case clientTLSStart
  case clientTLSEnd
  case requestFirstByte
  case requestHeadEnd
  case requestLastByte
  // The origin's side, of one attempt.
  case queued
  case dnsStart
  case dnsEnd
  case connectStart
  case connectEnd
  /// The upstream proxy was asked for a tunnel; the tunnel was open.
  case proxyConnectStart
  case proxyConnectEnd
  case tlsStart
  case tlsEnd
  case sentFirst
  case sentLast
  case responseFirstByte
  case responseHeadEnd
  case responseLastByte
  // Back at the client.
  case deliveredFirst
  case deliveredLast
  /// The exchange failed: closes the current phase.
  case failed
}

extension TimelineMark: Comparable {
  package static func < (left: TimelineMark, right: TimelineMark) -> Bool {
    left.rawValue < right.rawValue
  }
}
