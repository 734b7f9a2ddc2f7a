public import TapelineSystem

/// A point on `CLOCK_MONOTONIC`, in nanoseconds since an arbitrary origin (boot, on Linux).
///
/// It never goes back and no administrator can step it, so a difference of two instants is a true duration.
/// It is unrelated to the time of day: see `WallClockAnchor`.
///
/// An instant knows who took it. That has no part in comparisons, and a difference or a sum forgets it.
public struct MonotonicInstant: Sendable, Hashable, Comparable {
  /// Who took an instant.
  public enum Clock: Sendable, CaseIterable {
    /// The loop, when it got to it.
    case loop
    /// The kernel, when the packet passed.
    case wire
  }

  /// Every connection and every exchange keeps many instants, so one is a single word: the lowest bit says whether the kernel
  /// took it, the others count.
  @usableFromInline
  let word: Int64

  /// Counts reach 146 years to each side; what is beyond is clamped.
  @inlinable
  public init(nanoseconds: Int64, clock: Clock = .loop) {
    let most = Int64.max >> 1
    word = min(max(nanoseconds, ~most), most) << 1 | (clock == .wire ? 1 : 0)
  }

  @inlinable
  public var nanoseconds: Int64 { word >> 1 }

  @inlinable
  public var clock: Clock { word & 1 == 0 ? .loop : .wire }

  /// The same instant, which the loop answers for.
  @inlinable
  public var byLoop: MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

  @inlinable
  public static var now: MonotonicInstant {
    MonotonicInstant(nanoseconds: SystemClock.monotonicNanoseconds)
  }

  @inlinable
  public static func == (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds == right.nanoseconds
  }

  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(nanoseconds)
  }

  @inlinable
  public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Nanoseconds from `earlier` to this instant; negative when `earlier` is later.
  @inlinable
  public func nanoseconds(since earlier: MonotonicInstant) -> Int64 {
    nanoseconds - earlier.nanoseconds
  }

  @inlinable
  public func advanced(byNanoseconds delta: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: nanoseconds + delta)
  }
}

/// One pair of simultaneous readings, wall clock and monotonic clock, from which the process derives every time of day it prints.
///
/// Each capture has one anchor: a wall-clock step while the proxy runs moves no recorded time and makes no duration negative.
public struct WallClockAnchor: Sendable, Hashable {
  /// Nanoseconds since 1970-01-01T00:00:00Z at `instant`.
  public let unixNanoseconds: Int64
  public let instant: MonotonicInstant

  package init(unixNanoseconds: Int64, instant: MonotonicInstant) {
    self.unixNanoseconds = unixNanoseconds
    self.instant = instant
  }

  /// Reads both clocks; the monotonic one twice, before and after the other, so that the pair is true to within half the reading.
  package static func read() -> WallClockAnchor {
    let before = MonotonicInstant.now
    let wall = SystemClock.unixNanoseconds
    let after = MonotonicInstant.now
    let middle = before.advanced(byNanoseconds: after.nanoseconds(since: before) / 2)
    return WallClockAnchor(unixNanoseconds: wall, instant: middle)
  }

  /// The process's anchor, read at first use; after a crash, the one from before it.
  package static let process = ProcessRestart.lastCrash == nil ? read() : kept

  /// Has a crash leave the process's anchor to the next start.
  package static func keep() {
    ProcessRestart.keep(process.unixNanoseconds, as: .anchorUnix)
    ProcessRestart.keep(process.instant.nanoseconds, as: .anchorInstant)
  }

  private static var kept: WallClockAnchor {
    let instant = MonotonicInstant(nanoseconds: ProcessRestart.word(.anchorInstant))
    return WallClockAnchor(unixNanoseconds: ProcessRestart.word(.anchorUnix), instant: instant)
  }

  /// Nanoseconds since 1970-01-01T00:00:00Z at `other`.
  @inlinable
  public func unixNanoseconds(at other: MonotonicInstant) -> Int64 {
    unixNanoseconds + other.nanoseconds(since: instant)
  }

  /// Seconds since 2001-01-01T00:00:00Z at `other`: the time base of the core's `Timeline`.
  package func absoluteTime(at other: MonotonicInstant) -> Double {
    let unix = unixNanoseconds(at: other)
    let referenceDate: Int64 = 978_307_200
    let (seconds, nanoseconds) = unix.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Double(seconds - referenceDate) + Double(nanoseconds) / 1e9
  }
}

/// Seconds since 1970-01-01T00:00:00Z by the wall clock: certificates are valid by the calendar.
package func wallClockSeconds() -> Int64 {
  SystemClock.unixNanoseconds / 1_000_000_000
}
