/// What can happen to one exchange, in the order in which an ordinary exchange meets it.
///
/// `docs/timeline.md` draws all of them in one picture. The raw value is the slot in `TimelineMarks`.
package enum TimelineMark: UInt8, CaseIterable, Sendable {
  // The client's side.
  case accepted
  /// Only of the exchange that paid for a CONNECT: the CONNECT's head was complete. Its first byte is then `requestFirstByte`.
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
  /// The upstream proxy was asked for a tunnel; the tunnel stood.
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
  /// The exchange failed: closes the phase that was under way.
  case failed
}

extension TimelineMark: Comparable {
  package static func < (left: TimelineMark, right: TimelineMark) -> Bool {
    left.rawValue < right.rawValue
  }
}
