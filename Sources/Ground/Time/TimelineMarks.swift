/// The instants of one exchange, each written at most once.
///
/// A mark that was never met stays `nil`: it is not zero and not *now*.
public struct TimelineMarks: Sendable {
  /// By `TimelineMark.rawValue`. Of fixed size, so it needs no allocation.
  @usableFromInline
  var slots = InlineArray<24, MonotonicInstant>(repeating: MonotonicInstant(nanoseconds: 0))
  /// The bits of the marks that were met, by `TimelineMark.rawValue`.
  @usableFromInline
  var met: UInt32 = 0
  /// The longest that a first byte, of the request or of the response, waited in the kernel until the loop read it, in
  /// nanoseconds; `nil` where the kernel did not say when one arrived.
  public private(set) var queue: Int64?
  /// How long the exchange waited for what was not ours to give, before its request could go out: for a connection, for a free
  /// stream, for a socket with room, or for an attempt that was lost. Nanoseconds from the first `queued`.
  package private(set) var held: Int64 = 0

  @inlinable
  public init() {}

  @inlinable @inline(__always)
  public subscript(mark: TimelineMark) -> MonotonicInstant? {
    // Inlined, with a mark that is known: only then is the slot alone read, and not a copy of all of them made first.
    has(mark) ? slots[Int(mark.rawValue)] : nil
  }

  /// Reads several marks where they lie. The subscript copies all of them for each mark that is not known at compile time.
  @inlinable
  public func read<Result>(_ body: (_ instant: (TimelineMark) -> MonotonicInstant?) -> Result) -> Result {
    let slots = slots.span
    return body { mark in
      has(mark) ? slots[Int(mark.rawValue)] : nil
    }
  }

  @inlinable
  func has(_ mark: TimelineMark) -> Bool { met & 1 << mark.rawValue != 0 }

  /// Writes `mark` unless it is already set: the first stamp wins.
  @inlinable
  public mutating func stamp(_ mark: TimelineMark, at instant: MonotonicInstant) {
    guard !has(mark) else { return }
    move(mark, to: instant)
  }

  /// Writes `mark` even if it is set: for marks that move while they last (the last byte so far).
  @inlinable
  public mutating func move(_ mark: TimelineMark, to instant: MonotonicInstant) {
    slots[Int(mark.rawValue)] = instant
    met |= 1 << mark.rawValue
  }

  /// Takes `mark` back: what it marks has not happened yet.
  package mutating func clear(_ mark: TimelineMark) {
    met &= ~(1 << mark.rawValue)
  }

  /// Corrects `mark`, if it is set, to be no later than `other`: what it marks came first, but the loop was told of it late.
  @inlinable
  public mutating func bound(_ mark: TimelineMark, by other: MonotonicInstant) {
    guard let instant = self[mark], instant > other else { return }
    move(mark, to: other.byLoop)
  }

  /// A first byte that arrived at `arrival` was read at `read`.
  package mutating func noteQueue(from arrival: MonotonicInstant, to read: MonotonicInstant) {
    guard arrival.clock == .wire else { return }
    queue = max(queue ?? 0, read.nanoseconds(since: arrival))
  }

  /// Until `instant`, an exchange that was given to the transport at `start` could only wait.
  package mutating func noteHeld(from start: MonotonicInstant, until instant: MonotonicInstant) {
    held = max(held, instant.nanoseconds(since: start))
  }

  /// Before that, a rule of the user's held the exchange back for so long.
  package mutating func addHeld(_ nanoseconds: Int64) {
    held += nanoseconds
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
    let taken = ~(UInt32.max << (range.upperBound.rawValue + 1)) & UInt32.max << range.lowerBound.rawValue
    met = met & ~taken | attempt.met & taken
    if let other = attempt.queue { queue = max(queue ?? 0, other) }
    if range.contains(.queued) { held = attempt.held }
  }

  /// How many marks of bytes that came each clock took.
  package var arrivalClocks: (wire: Int, loop: Int) {
    var counts = (wire: 0, loop: 0)
    forEach { mark, instant in
      guard mark.isArrival else { return }
      switch instant.clock {
      case .wire: counts.wire += 1
      case .loop: counts.loop += 1
      }
    }
    return counts
  }

  /// Calls `body` with each mark that was met, in the order of an ordinary exchange.
  @inlinable
  public func forEach(_ body: (TimelineMark, MonotonicInstant) -> Void) {
    let slots = slots.span
    var rest = met
    // By the bits: the list of all marks would be made anew for each exchange.
    while rest != 0, let mark = TimelineMark(rawValue: UInt8(rest.trailingZeroBitCount)) {
      rest &= rest - 1
      body(mark, slots[Int(mark.rawValue)])
    }
  }
}

/// The events of one exchange, in the order of an ordinary exchange.
///
/// `docs/timeline.md` draws all of them in one picture. The raw value is the slot in `TimelineMarks`.
public enum TimelineMark: UInt8, CaseIterable, Sendable {
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
  @inlinable
  public static func < (left: TimelineMark, right: TimelineMark) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension TimelineMark {
  /// Whether it marks that bytes came, which the kernel can tell.
  @inlinable
  public var isArrival: Bool {
    switch self {
    case .tunnelHeadEnd, .clientTLSStart, .clientTLSEnd, .requestFirstByte, .requestHeadEnd, .requestLastByte, .proxyConnectEnd,
      .tlsEnd, .responseFirstByte, .responseHeadEnd, .responseLastByte:
      true
    case .accepted, .queued, .dnsStart, .dnsEnd, .connectStart, .connectEnd, .proxyConnectStart, .tlsStart, .sentFirst, .sentLast,
      .deliveredFirst, .deliveredLast, .failed:
      false
    }
  }
}
