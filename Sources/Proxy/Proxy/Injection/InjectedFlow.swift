internal import TapelineTime

/// The content of a response that rules hold back, as a value: stopped for a while, let out at a rate, cut off.
struct InjectedFlow {
  enum Step: Equatable {
    /// These bytes go on.
    case pass([UInt8])
    /// Nothing goes on before this instant, because of the rule with this place in the plan.
    case wait(until: MonotonicInstant, by: Int)
    /// The response ends here, because of that rule.
    case cut(by: Int)
    /// All that came has gone on.
    case empty
  }

  /// A sharp one also cuts off a response that has no more.
  private var limit: (offset: UInt64, rule: Int, isSharp: Bool)?
  /// The events after one of which the response ends.
  private var events: (counter: EventCounter, last: UInt64, rule: Int)?
  /// In the order of their offsets.
  private var stalls: [(offset: UInt64, duration: Duration, rule: Int)] = []
  /// Bytes per nanosecond.
  private var rate: (bytes: Double, rule: Int)?

  private var waiting = WaitingBytes()
  private var received: UInt64 = 0
  private var passed: UInt64 = 0
  /// When the current stall is over.
  private var stallEnd: MonotonicInstant?
  /// The next piece, and when the line has carried it.
  private var piece: (bytes: [UInt8], due: MonotonicInstant)?
  /// When the line had carried the last piece, if more was waiting: who looks late does not slow it down.
  private var busy: MonotonicInstant?
  /// The rules that have stopped the content, or cut it off.
  private(set) var reached: Set<Int> = []

  private static let highWaterMark = 64 * 1024
  private static let pieceLimit = 16 * 1024
  /// Pieces at a rate last at most this long, so that it is even.
  private static let pieceTime = 20e6

  // MARK: What is asked for, by rules with these places in the plan

  /// If several are asked for, the first cut counts.
  mutating func cut(after count: UInt64, isSharp: Bool = false, by rule: Int) {
    if count < limit?.offset ?? .max { limit = (count, rule, isSharp) }
  }

  /// Cuts the response off at the end of an event, at once. If several are asked for, the first counts.
  mutating func cut(after last: UInt64, of counter: EventCounter, by rule: Int) {
    if last < events?.last ?? .max { events = (counter, last, rule) }
  }

  mutating func stall(for duration: Duration, after offset: UInt64, by rule: Int) {
    stalls.append((offset, duration, rule))
    stalls.sort { $0.offset < $1.offset }
  }

  /// If several are asked for, the slowest counts.
  mutating func limit(to bytesPerSecond: Double, by rule: Int) {
    if bytesPerSecond / 1e9 < rate?.bytes ?? .infinity { rate = (bytesPerSecond / 1e9, rule) }
  }

  /// Whether it never holds anything back.
  var isOpen: Bool { limit == nil && events == nil && stalls.isEmpty && rate == nil }

  // MARK: Bytes

  mutating func append(_ bytes: Span<UInt8>) {
    if let events, let count = self.events?.counter.end(of: events.last, in: bytes) {
      cut(after: received + UInt64(count), isSharp: true, by: events.rule)
    }
    received += UInt64(bytes.count)
    waiting.append(bytes)
  }

  /// Whether the server is to be read no further for now.
  var isFull: Bool { waiting.count > Self.highWaterMark }

  var isEmpty: Bool { waiting.isEmpty && piece == nil && cutter == nil }

  /// The rule that cuts the response off here.
  private var cutter: Int? { limit.flatMap { passed >= $0.offset && ($0.isSharp || !waiting.isEmpty) ? $0.rule : nil } }

  mutating func next(at now: MonotonicInstant) -> Step {
    if let piece, let rate {
      guard piece.due <= now else { return .wait(until: piece.due, by: rate.rule) }
      self.piece = nil
      passed += UInt64(piece.bytes.count)
      busy = waiting.isEmpty ? nil : piece.due
      return .pass(piece.bytes)
    }
    if let cutter {
      reached.insert(cutter)
      return .cut(by: cutter)
    }
    guard !waiting.isEmpty else { return .empty }
    if let stall = stalls.first, passed >= stall.offset {
      let end = stallEnd ?? now.advanced(by: stall.duration)
      stallEnd = end
      reached.insert(stall.rule)
      guard end <= now else { return .wait(until: end, by: stall.rule) }
      stalls.removeFirst()
      (stallEnd, busy) = (nil, nil)
      return next(at: now)
    }
    guard let bytes = waiting.take(atMost: pieceSize) else { return .empty }
    guard let rate else {
      passed += UInt64(bytes.count)
      return .pass(bytes)
    }
    let due = (busy ?? now).advanced(byNanoseconds: Int64(min(1e18, Double(bytes.count) / rate.bytes)))
    piece = (bytes, due)
    return next(at: now)
  }

  private var pieceSize: Int {
    var size = UInt64(Self.pieceLimit)
    if let limit { size = min(size, limit.offset - passed) }
    if let stall = stalls.first { size = min(size, stall.offset - passed) }
    if let rate { size = min(size, UInt64(max(1, min(1e9, rate.bytes * Self.pieceTime)))) }
    return Int(size)
  }
}
