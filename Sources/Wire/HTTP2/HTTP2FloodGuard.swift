internal import TapelineTime

/// Counts what a peer sends against the limits. A value: time comes in.
///
/// It sees each frame before nghttp2 does, on both sides of the proxy: nghttp2's own limits are for servers only.
struct HTTP2FloodGuard: Sendable {
  typealias Flood = HTTP2Violation.Flood

  private let limits: HTTP2Limits
  private let role: HTTP2Role
  private var settings: Allowance
  private var pings: Allowance
  private var emptyData: Allowance
  private var windowUpdates: Allowance
  private var priorities: Allowance
  private var otherFrames: Allowance
  private var resets: Allowance
  private var openedStreams = 0
  private var youngResets = 0
  private var continuations = 0
  /// Bytes of the payloads of the current header block, or of the last one.
  private(set) var blockSize = 0

  /// A stream that is reset within this time of its opening is young: one second.
  private static let youth: Int64 = 1_000_000_000

  init(_ role: HTTP2Role, _ limits: HTTP2Limits) {
    self.role = role
    self.limits = limits
    settings = Allowance(limits.settings)
    pings = Allowance(limits.pings)
    emptyData = Allowance(limits.emptyData)
    windowUpdates = Allowance(limits.windowUpdates)
    priorities = Allowance(limits.priorities)
    otherFrames = Allowance(limits.otherFrames)
    resets = Allowance(limits.resets)
  }

  /// A frame begins. Returns the limit that it exceeds.
  mutating func frameBegins(_ frame: HTTP2FrameHeader, at instant: MonotonicInstant) -> Flood? {
    // nghttp2 ends the connection for it (RFC 9113 4.2).
    guard frame.length <= HTTP2FrameHeader.largestLength else { return nil }
    switch frame.type {
    case HTTP2FrameHeader.data:
      return frame.length == 0 && !frame.endsStream ? emptyDataCame(at: instant) : nil
    case HTTP2FrameHeader.headers:
      continuations = 0
      blockSize = frame.length
      return blockSize > limits.headerBlock ? .headerBlock : nil
    case HTTP2FrameHeader.continuation:
      continuations += 1
      blockSize += frame.length
      if continuations > limits.continuations { return .continuations }
      return blockSize > limits.headerBlock ? .headerBlock : nil
    case HTTP2FrameHeader.settings: return settings.spend(at: instant) ? nil : .settings
    case HTTP2FrameHeader.ping: return pings.spend(at: instant) ? nil : .pings
    case HTTP2FrameHeader.windowUpdate: return windowUpdates.spend(at: instant) ? nil : .windowUpdates
    // nghttp2 does not look at the frame where the older priorities are switched off (RFC 9113 6.3).
    case HTTP2FrameHeader.priority where frame.stream == 0: return .priorityOfConnection
    case HTTP2FrameHeader.priority, HTTP2FrameHeader.priorityUpdate: return priorities.spend(at: instant) ? nil : .priorities
    // We never allow pushes (RFC 9113 8.4); a client cannot send any.
    case HTTP2FrameHeader.pushPromise: return .pushes
    case HTTP2FrameHeader.resetStream: return resets.spend(at: instant) ? nil : .resets
    default: return otherFrames.spend(at: instant) ? nil : .otherFrames
    }
  }

  /// A DATA frame without content has come, padded or not, and its stream goes on.
  mutating func emptyDataCame(at instant: MonotonicInstant) -> Flood? {
    emptyData.spend(at: instant) ? nil : .emptyData
  }

  mutating func streamOpened() {
    priorities.add(10)
    openedStreams += 1
    guard openedStreams > limits.youngStreams else { return }
    openedStreams = 1
    youngResets = 0
  }

  /// The peer has reset a stream that it opened at `opened`.
  mutating func streamReset(openedAt opened: MonotonicInstant, at instant: MonotonicInstant) -> Flood? {
    guard role == .server, instant.nanoseconds(since: opened) < Self.youth else { return nil }
    youngResets += 1
    return youngResets >= max(limits.youngStreams / 2, 1) ? .youngResets : nil
  }

  /// The peer has made us reset a stream, or refuse it.
  mutating func streamFailed(at instant: MonotonicInstant) -> Flood? {
    resets.spend(at: instant) ? nil : .resets
  }

  mutating func dataWasSent() {
    windowUpdates.add(10)
  }
}

/// A token bucket (`HTTP2Limits.Rate`), full at first.
private struct Allowance: Sendable {
  private let rate: HTTP2Limits.Rate
  /// In billionths, so that no time is lost to rounding.
  private var left: Int64
  private var refilled: MonotonicInstant?

  private static let one: Int64 = 1_000_000_000

  init(_ rate: HTTP2Limits.Rate) {
    self.rate = rate
    left = Int64(rate.burst) * Self.one
  }

  /// Takes one; returns whether there was one.
  mutating func spend(at instant: MonotonicInstant) -> Bool {
    if left < Self.one { refill(at: instant) }
    guard left >= Self.one else { return false }
    left -= Self.one
    // Time counts from the first spending of a full bucket.
    if refilled == nil { refilled = instant }
    return true
  }

  mutating func add(_ count: Int) {
    left = min(left + Int64(count) * Self.one, Int64(rate.burst) * Self.one)
  }

  private mutating func refill(at instant: MonotonicInstant) {
    let elapsed = max(instant.nanoseconds(since: refilled ?? instant), 0)
    refilled = instant
    let (gained, overflow) = elapsed.multipliedReportingOverflow(by: Int64(rate.perSecond))
    left = overflow ? Int64(rate.burst) * Self.one : min(left + gained, Int64(rate.burst) * Self.one)
  }
}
