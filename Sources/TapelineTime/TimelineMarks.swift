/// The instants of one exchange, each written at most once.
///
/// A mark that was never met stays `nil`: it is not zero and not *now*.
package struct TimelineMarks: Sendable {
  /// Nanoseconds by `TimelineMark.rawValue`; `unmarked` if nothing was stamped. Of fixed size, so it needs no allocation.
  private var slots: InlineArray<24, Int64>

  private static let unmarked = Int64.min

  package init() {
    slots = InlineArray(repeating: Self.unmarked)
  }

  package subscript(mark: TimelineMark) -> MonotonicInstant? {
    let value = slots[Int(mark.rawValue)]
    return value == Self.unmarked ? nil : MonotonicInstant(nanoseconds: value)
  }

  /// Writes `mark` unless it is already set: the first stamp wins.
  package mutating func stamp(_ mark: TimelineMark, at instant: MonotonicInstant) {
    guard slots[Int(mark.rawValue)] == Self.unmarked else { return }
    slots[Int(mark.rawValue)] = instant.nanoseconds
  }

  /// Writes `mark` even if it is set: for marks that move while they last (the last byte so far).
  package mutating func move(_ mark: TimelineMark, to instant: MonotonicInstant) {
    slots[Int(mark.rawValue)] = instant.nanoseconds
  }

  /// Takes the marks of `range` from an attempt, and clears those that the attempt does not have.
  ///
  /// Used when an attempt ends or is replaced: the exchange keeps the client's side and the *last* attempt's side.
  package mutating func adopt(_ range: ClosedRange<TimelineMark>, from attempt: TimelineMarks) {
    // By the span: each subscript of an inline array copies all of it.
    let others = attempt.slots.span
    for slot in Int(range.lowerBound.rawValue)...Int(range.upperBound.rawValue) {
      slots[slot] = others[slot]
    }
  }

  /// Calls `body` with each mark that was met, in the order of an ordinary exchange.
  package func forEach(_ body: (TimelineMark, MonotonicInstant) -> Void) {
    let slots = slots.span
    for mark in TimelineMark.allCases where slots[Int(mark.rawValue)] != Self.unmarked {
      body(mark, MonotonicInstant(nanoseconds: slots[Int(mark.rawValue)]))
    }
  }
}

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
