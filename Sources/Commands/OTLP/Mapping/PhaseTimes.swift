internal import TapelineBase
internal import TapelineHAR

/// Where the phases of an exchange lie, in nanoseconds since 1970.
///
/// Their lengths are those of the log, so that they add up to its `time`; the exchange's marks (`_events`) say where they begin.
struct PhaseTimes {
  struct Piece: Hashable {
    let phase: Phase
    let start: Int64
    let end: Int64
  }

  /// The first byte of the request.
  let start: Int64
  /// The end of the last phase.
  let end: Int64
  /// One after the other without gaps, those that took no time left out. `connect` is without `ssl`, which follows it.
  private(set) var pieces: [Piece] = []

  /// Three years, in milliseconds: what a log claims beyond it is not added up.
  private static let longest = 1e11

  /// - Parameter start: of the entry, in nanoseconds since 1970.
  init(of entry: HAREntry, startingAt start: Int64) {
    let timings = entry.timings
    let events = entry.custom[.events]
    let blocked = Self.nanoseconds(timings.blocked)
    let connect = Self.nanoseconds(timings.connect)
    let ssl = min(Self.nanoseconds(timings.ssl), connect)
    // Blocked time lies between the other phases, too (docs/timeline.md): the marks tell how long.
    let gaps = Self.gaps(blocked, events)
    let phases: [(Phase, Int64)] = [
      (.blocked, gaps[0]), (.dns, Self.nanoseconds(timings.dns)), (.blocked, gaps[1]), (.connect, connect - ssl),
      (.blocked, gaps[2]), (.ssl, ssl), (.blocked, gaps[3]), (.send, Self.nanoseconds(timings.send)),
      (.wait, Self.nanoseconds(timings.wait)), (.receive, Self.nanoseconds(timings.receive)),
    ]
    var edge = start + max(0, Self.mark("tunnelHeadEnd", events) ?? Self.mark("requestHeadEnd", events) ?? 0)
    for (phase, length) in phases where length > 0 {
      pieces.append(Piece(phase: phase, start: edge, end: edge + length))
      edge += length
    }
    self.start = start
    // The log of another program may claim more than its phases.
    end = max(edge, start + Self.nanoseconds(entry.duration))
  }

  /// How much of `blocked` lies before the lookup, before the connect, before TLS and before the request.
  private static func gaps(_ blocked: Int64, _ events: HARValue?) -> [Int64] {
    guard let begun = mark("tunnelHeadEnd", events) ?? mark("requestHeadEnd", events),
      let connecting = mark("connectStart", events)
    else { return [blocked, 0, 0, 0] }
    let connected = mark("proxyConnectEnd", events) ?? mark("connectEnd", events)
    let lookedUp = mark("dnsEnd", events)
    var rest = blocked
    func take(from start: Int64?, to end: Int64?) -> Int64 {
      guard let start, let end else { return 0 }
      let taken = min(rest, max(0, end - start))
      rest -= taken
      return taken
    }
    let first = take(from: begun, to: mark("dnsStart", events) ?? connecting)
    let second = take(from: lookedUp, to: connecting)
    let third = take(from: connected, to: mark("tlsStart", events) ?? mark("clientTLSStart", events))
    // After the connection, only its request can have been blocked.
    return connected == nil ? [first, second + rest, third, 0] : [first, second, third, rest]
  }

  /// Nanoseconds from the start of the entry.
  private static func mark(_ name: String, _ events: HARValue?) -> Int64? {
    events?[name]?.double.map { Int64(min(max($0, -longest), longest)) * 1_000 }
  }

  /// 0 for a phase that did not happen.
  private static func nanoseconds(_ milliseconds: Double?) -> Int64 {
    guard let milliseconds = milliseconds?.asDuration else { return 0 }
    return Int64((milliseconds * 1e6).rounded())
  }
}
