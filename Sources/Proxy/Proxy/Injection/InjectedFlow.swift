internal import TapelineTime

/// The content of a response that rules hold back, as a value: stopped for a while, let out at a rate, cut off.
struct InjectedFlow {
  enum Step: Equatable {
    /// These bytes go on.
    case pass([UInt8])
    /// Nothing goes on before this instant.
    case wait(until: MonotonicInstant)
    /// The response ends here.
    case cut
    /// All that came has gone on.
    case empty
  }

  private struct Stall {
    let offset: UInt64
    let duration: Duration
  }

  private var limit: UInt64?
  /// In the order of their offsets.
  private var stalls: [Stall] = []
  /// Bytes per nanosecond.
  private var rate: Double?

  private var waiting = WaitingBytes()
  private var passed: UInt64 = 0
  /// When the current stall is over.
  private var stallEnd: MonotonicInstant?
  /// The next piece, and when the line has carried it.
  private var piece: (bytes: [UInt8], due: MonotonicInstant)?
  /// Until when the line is busy.
  private var busy: MonotonicInstant?

  private static let highWaterMark = 64 * 1024
  private static let pieceLimit = 16 * 1024
  /// Pieces at a rate last at most this long, so that it is even.
  private static let pieceTime = 20e6

  // MARK: What is asked for

  /// If several are asked for, the first cut counts.
  mutating func cut(after count: UInt64) {
    limit = min(limit ?? .max, count)
  }

  mutating func stall(for duration: Duration, after offset: UInt64) {
    stalls.append(Stall(offset: offset, duration: duration))
    stalls.sort { $0.offset < $1.offset }
  }

  /// If several are asked for, the slowest counts.
  mutating func limit(to bytesPerSecond: Double) {
    rate = min(rate ?? .infinity, bytesPerSecond / 1e9)
  }

  /// Whether it never holds anything back.
  var isOpen: Bool { limit == nil && stalls.isEmpty && rate == nil }

  // MARK: Bytes

  mutating func append(_ bytes: Span<UInt8>) {
    waiting.append(bytes)
  }

  /// Whether the server is to be read no further for now.
  var isFull: Bool { waiting.count > Self.highWaterMark }

  var isEmpty: Bool { waiting.isEmpty && piece == nil }

  mutating func next(at now: MonotonicInstant) -> Step {
    if let piece {
      guard piece.due <= now else { return .wait(until: piece.due) }
      self.piece = nil
      passed += UInt64(piece.bytes.count)
      return .pass(piece.bytes)
    }
    guard !waiting.isEmpty else { return .empty }
    if let limit, passed >= limit { return .cut }
    if let stall = stalls.first, passed >= stall.offset {
      let end = stallEnd ?? now.advanced(by: stall.duration)
      stallEnd = end
      guard end <= now else { return .wait(until: end) }
      stalls.removeFirst()
      stallEnd = nil
      return next(at: now)
    }
    guard let bytes = waiting.take(atMost: pieceSize) else { return .empty }
    guard let rate else {
      passed += UInt64(bytes.count)
      return .pass(bytes)
    }
    let due = max(busy ?? now, now).advanced(byNanoseconds: Int64(min(1e18, Double(bytes.count) / rate)))
    busy = due
    piece = (bytes, due)
    return due <= now ? next(at: now) : .wait(until: due)
  }

  private var pieceSize: Int {
    var size = UInt64(Self.pieceLimit)
    if let limit { size = min(size, limit - passed) }
    if let stall = stalls.first { size = min(size, stall.offset - passed) }
    if let rate { size = min(size, UInt64(max(1, min(1e9, rate * Self.pieceTime)))) }
    return Int(size)
  }
}
