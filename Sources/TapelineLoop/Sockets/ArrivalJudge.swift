import TapelineTime

/// Judges from read to read when the bytes of a connection came, as a value.
///
/// The kernel merges segments that wait, and keeps the last stamp. A first byte may thus have come long before the stamp of its
/// read. It did not if
/// - the connection had been read to its end a moment before;
/// - one segment waited alone, which a question to the kernel tells (`SegmentCount`);
/// - two waited unmerged: they have two stamps, and the first segment's is asked for, too;
/// - the loop waited for it, and read a moment after the first stamp that it knows (`Attention`).
///
/// Otherwise the loop answers for the mark: the byte came no later than that.
struct ArrivalJudge {
  /// When the bytes of the last read came.
  private(set) var arrival: Arrival
  /// No byte comes earlier: the last that came by the kernel's clock, or the beginning.
  private(set) var floor: MonotonicInstant
  /// Whether bytes of several messages may come in any order. Otherwise a message begins with the first read after a write.
  var isInterleaved = false
  private var mayBegin = true
  /// Whether the last read took all bytes that waited.
  private var hadAll = false
  private var segments = SegmentCount()
  private var bytesRead: UInt64 = 0

  /// What the channel has found out before a read.
  struct Knowledge {
    /// When it looked.
    let instant: MonotonicInstant
    /// Whether the loop had waited, and did nothing else since.
    let loopIsAttentive: Bool
    /// How many segments waited; `nil` if nobody asked.
    var waiting: UInt32?
    /// The kernel's stamp of the first byte, if it was asked for.
    var first: MonotonicInstant?
  }

  /// - Parameter floor: what cannot have come before.
  init(now: MonotonicInstant, floor: MonotonicInstant) {
    arrival = Arrival(first: now, last: now, read: now)
    self.floor = floor
  }

  // MARK: Before a read

  /// Whether it matters how many segments wait.
  var wantsCount: Bool { isInterleaved || mayBegin }

  /// How many of the connection's segments, `total` by now, wait to be read. A read must follow.
  mutating func waiting(of total: UInt32) -> UInt32 { segments.waiting(of: total) }

  // MARK: After it

  /// A read brought `count` bytes.
  ///
  /// - Parameters:
  ///   - end: the kernel's stamp of the last byte, if it can be believed.
  ///   - filled: whether there may be more.
  mutating func didRead(_ count: Int, until end: MonotonicInstant?, at now: MonotonicInstant, filled: Bool, _ known: Knowledge) {
    let sinceLast = hadAll ? known.instant.nanoseconds(since: arrival.read) : .max
    mayBegin = false
    bytesRead += UInt64(count)
    hadAll = !filled
    segments.didRead(filled: filled, isCounted: known.waiting != nil)
    guard let end else {
      arrival = Arrival(first: now, last: now, read: now)
      return
    }
    let first: MonotonicInstant =
      if sinceLast <= Arrival.closeNanoseconds || known.isAlone(until: end) {
        end
      } else {
        known.first(upTo: end, readAt: now)
      }
    arrival = Arrival(first: first, last: end, read: now)
    floor = end
  }

  // MARK: Writes

  /// Bytes were written. Answers whether it helps to know the segments that have come by now: they may all have been read.
  mutating func didWrite() -> Bool {
    mayBegin = true
    return !isInterleaved && hadAll && segments.isBehind
  }

  /// `total` segments have come, with so many bytes. If all of these were read, no segment waits.
  mutating func didCount(_ total: UInt32, bytes: UInt64) {
    if bytes == bytesRead { segments.noneWaits(of: total) }
  }
}

extension ArrivalJudge.Knowledge {
  /// Whether all bytes came in one segment. One that comes after the question may be merged with it.
  fileprivate func isAlone(until end: MonotonicInstant) -> Bool {
    waiting == 1 && end.nanoseconds(since: instant) <= Self.readingNanoseconds
  }

  /// The first byte's instant, if the kernel's stamp of it can be relied on; else the loop's, no later than that.
  fileprivate func first(upTo end: MonotonicInstant, readAt now: MonotonicInstant) -> MonotonicInstant {
    let earliest = min(first ?? end, end)
    let isUnmerged = waiting == 2 && earliest < end
    let isPrompt = loopIsAttentive && now.nanoseconds(since: earliest) <= Arrival.closeNanoseconds
    return isUnmerged || isPrompt ? earliest : earliest.byLoop
  }

  /// How much two clocks may seem to differ.
  private static let readingNanoseconds: Int64 = 1_000
}

/// How many segments of a connection wait to be read, by the kernel's count of those that have come.
///
/// A read takes all that wait. So what came beyond one segment per read is a surplus, which a question brings up to date. Where
/// nobody asked, the count is too great, and never too small.
struct SegmentCount {
  private var reads: UInt32 = 0
  private var surplus: UInt32 = 0
  /// Whether reads took segments that nobody counted.
  private(set) var isBehind = false

  mutating func waiting(of total: UInt32) -> UInt32 {
    let count = total &- reads &- surplus
    // A segment of which a part was read before counts as none.
    guard count > 0, count <= UInt32.max / 2 else {
      noneWaits(of: total)
      return 0
    }
    surplus &+= count - 1
    isBehind = false
    return count
  }

  /// - Parameter filled: the read may have left a part of a segment, which the next read takes.
  mutating func didRead(filled: Bool, isCounted: Bool) {
    if !filled { reads &+= 1 }
    if !isCounted { isBehind = true }
  }

  mutating func noneWaits(of total: UInt32) {
    surplus = total &- reads
    isBehind = false
  }
}

/// Whether a loop can have left bytes waiting, as a value: not if it has just waited for any, and been woken.
struct Attention {
  private var waited = MonotonicInstant(nanoseconds: 0)
  private var woke: MonotonicInstant?

  /// A wait that something due ends at once takes less.
  private static let noWaitNanoseconds: Int64 = 20_000

  /// The loop has done all that it had to do.
  mutating func willWait(at now: MonotonicInstant) {
    waited = now
    woke = nil
  }

  var isAwake: Bool { woke != nil }

  /// The first thing is due since the wait.
  mutating func wake(at now: MonotonicInstant) {
    woke = now
  }

  func isUndivided(at now: MonotonicInstant) -> Bool {
    guard let woke else { return false }
    return woke.nanoseconds(since: waited) > Self.noWaitNanoseconds
      && now.nanoseconds(since: woke) <= Arrival.closeNanoseconds
  }
}

/// Rations questions to the kernel, as a value: one costs half as much as a read, and a busy loop has thousands of reads to ask
/// about.
struct QuestionAllowance {
  /// A question costs 0.4 µs: less than one in two hundred is spent on them.
  private static let intervalNanoseconds: Int64 = 100_000
  private static let burst: Int64 = 64

  /// When all of the allowance is there again.
  private var full = MonotonicInstant(nanoseconds: .min)

  mutating func take(at now: MonotonicInstant) -> Bool {
    let begin = max(full, now)
    guard begin.nanoseconds(since: now) <= (Self.burst - 1) * Self.intervalNanoseconds else { return false }
    full = begin.advanced(byNanoseconds: Self.intervalNanoseconds)
    return true
  }
}
