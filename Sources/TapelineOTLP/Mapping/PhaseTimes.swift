internal import TapelineHAR

/// Where the phases of an exchange lie, in nanoseconds since 1970.
///
/// Their lengths are those of the log, so that they add up to its `time`; the exchange's marks (`_events`) say where they begin.
struct PhaseTimes {
  struct Piece: Hashable {
    let name: String
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
    let events = entry.custom["_events"]
    let blocked = Self.nanoseconds(timings.blocked)
    let connect = Self.nanoseconds(timings.connect)
    let ssl = min(Self.nanoseconds(timings.ssl), connect)
    // The exchange that paid for a tunnel was blocked up to three times (docs/timeline.md): the marks tell how long.
    let waits = Self.waits(blocked, events)
    let phases = [
      ("blocked", waits.first), ("dns", Self.nanoseconds(timings.dns)), ("connect", connect - ssl), ("blocked", waits.second),
      ("ssl", ssl), ("blocked", waits.third), ("send", Self.nanoseconds(timings.send)), ("wait", Self.nanoseconds(timings.wait)),
      ("receive", Self.nanoseconds(timings.receive)),
    ]
    var edge = start + max(0, Self.mark("tunnelHeadEnd", events) ?? Self.mark("requestHeadEnd", events) ?? 0)
    for (name, length) in phases where length > 0 {
      pieces.append(Piece(name: name, start: edge, end: edge + length))
      edge += length
    }
    self.start = start
    // The log of another program may claim more than its phases.
    end = max(edge, start + Self.nanoseconds(entry.duration))
  }

  private static func waits(_ blocked: Int64, _ events: HARValue?) -> (first: Int64, second: Int64, third: Int64) {
    guard let begun = mark("tunnelHeadEnd", events), mark("connectStart", events) != nil else { return (blocked, 0, 0) }
    let opened = mark("dnsStart", events) ?? mark("connectStart", events) ?? begun
    let first = min(blocked, max(0, opened - begun))
    guard let connected = mark("proxyConnectEnd", events) ?? mark("connectEnd", events) else {
      return (first, blocked - first, 0)
    }
    let secured = mark("tlsStart", events) ?? mark("clientTLSStart", events) ?? connected
    let second = min(blocked - first, max(0, secured - connected))
    return (first, second, blocked - first - second)
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
