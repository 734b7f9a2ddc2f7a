import TapelineTime

/// Judges from read to read when the bytes of a connection came, as a value.
///
/// The kernel merges segments that wait, and keeps the last stamp. A first byte may thus have come long before the stamp of its
/// read. It did not if
/// - no byte waited a moment before: the connection had been read to its end, and the loop, if it has looked since, found none;
/// - one segment waited alone, which a question to the kernel tells (`SegmentCount`);
/// - two waited unmerged: they have two stamps, and the first segment's is asked for, too.
/// A segment that comes after the question may be merged with those that were counted. One that comes during a read is not read.
///
/// Otherwise the loop answers for the mark: the byte came no later than that. It proves nothing that the loop was waiting for the
/// byte: a thread that is woken may wait for a processor, and meanwhile other bytes come.
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
  /// When the last read was about to begin.
  private var looked: MonotonicInstant
  private var segments = SegmentCount()
  private var bytesRead: UInt64 = 0

  /// The channel's findings before a read.
  struct Knowledge {
    /// When it looked.
    let instant: MonotonicInstant
    /// The loop has served all that had come by then.
    let served: MonotonicInstant
    /// How many segments waited; `nil` if nobody asked.
    var waiting: UInt32?
    /// The kernel's stamp of the first byte, if it was asked for.
    var first: MonotonicInstant?
  }

  /// - Parameter floor: what cannot have come before.
  init(now: MonotonicInstant, floor: MonotonicInstant) {
    arrival = Arrival(first: now, last: now, read: now)
    looked = now
    self.floor = floor
  }

  // MARK: Before a read

  /// Whether the number of segments that wait can tell anything about the first byte.
  func wantsCount(_ known: Knowledge) -> Bool {
    (isInterleaved || mayBegin && !segments.isBehind) && !isRecent(known.instant, known)
  }

  /// Whether the first byte that waits came a moment before `instant`: nothing waited until then.
  private func isRecent(_ instant: MonotonicInstant, _ known: Knowledge) -> Bool {
    guard hadAll else { return false }
    let sinceServed = instant.nanoseconds(since: known.served)
    // Bytes that came before the loop looked, and were not served then, may have waited for long.
    return (0...Arrival.closeNanoseconds).contains(sinceServed)
      || instant.nanoseconds(since: looked) <= Arrival.closeNanoseconds
  }

  /// The loop has found bytes, and leaves them where they are.
  mutating func didLeaveBytes() { hadAll = false }

  /// How many of the connection's segments, `total` by now, wait to be read. A read must follow.
  mutating func waiting(of total: UInt32) -> UInt32 { segments.waiting(of: total) }

  // MARK: After it

  /// A read brought `count` bytes.
  ///
  /// - Parameters:
  ///   - end: the kernel's stamp of the last byte, if it can be believed.
  ///   - filled: whether there may be more.
  mutating func didRead(_ count: Int, until end: MonotonicInstant?, at now: MonotonicInstant, filled: Bool, _ known: Knowledge) {
    let isRecent = isRecent(end ?? now, known)
    looked = known.instant
    mayBegin = false
    bytesRead += UInt64(count)
    hadAll = !filled
    segments.didRead(filled: filled, isCounted: known.waiting != nil)
    guard let end else {
      arrival = Arrival(first: now, last: now, read: now)
      return
    }
    let first: MonotonicInstant =
      isRecent || known.isAlone(until: end) ? end : known.first(upTo: end)
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
  /// Whether all bytes came in one segment.
  fileprivate func isAlone(until end: MonotonicInstant) -> Bool { waiting == 1 && counted(until: end) }

  /// The first byte's instant, if the kernel's stamp of it can be relied on; else the loop's, no later than that.
  fileprivate func first(upTo end: MonotonicInstant) -> MonotonicInstant {
    let earliest = min(first ?? end, end)
    return waiting == 2 && earliest < end && counted(until: end) ? earliest : earliest.byLoop
  }

  /// Whether no segment came after the question.
  private func counted(until end: MonotonicInstant) -> Bool { end.nanoseconds(since: instant) <= Self.readingNanoseconds }

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

/// Until when a loop is sure to have served all that had come, as a value: a wait ends with everything that is due, unless that
/// is very much.
struct Attention {
  private(set) var served = MonotonicInstant(nanoseconds: 0)
  private var woke: MonotonicInstant?
  private var reads = 0

  /// A wait brings at most 32 things (libevent), which are not all reads. After a turn with fewer, nothing can have been left.
  private static let mostReads = 16

  /// Something is due since the wait.
  mutating func wake(at now: @autoclosure () -> MonotonicInstant) {
    if woke == nil { woke = now() }
  }

  /// A connection is about to be read.
  mutating func willRead(at now: MonotonicInstant) {
    wake(at: now)
    reads += 1
  }

  /// The loop has done all that it had to do.
  mutating func willWait() {
    if let woke, reads < Self.mostReads { served = woke }
    (woke, reads) = (nil, 0)
  }
}

/// Rations questions to the kernel, as a value: one costs half as much as a read, and a busy loop has thousands of reads to ask
/// about.
struct QuestionAllowance {
  /// A question costs 0.4 µs: one in a thousand is spent on them.
  private static let intervalNanoseconds: Int64 = 400_000
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
