/// Puts the segments of one direction of a TCP connection into their order: repeated bytes are left out, and bytes that came too
/// early wait for those before them (RFC 9293 3.10.7.4).
struct SegmentOrder {
  /// The sequence number of the next byte; `nil` before the first segment.
  private var next: UInt32?
  private var early: [(sequence: UInt32, bytes: [UInt8])] = []
  private var earlyCount = 0
  /// Whether bytes are missing for good.
  private(set) var hasGap = false

  /// A receiver has no larger window than this, in practice.
  private static let limit = 16 << 20

  /// A SYN takes one number.
  mutating func begin(at sequence: UInt32) {
    next = sequence &+ 1
  }

  /// Takes the bytes of a segment, and returns those whose turn has come.
  mutating func take(_ bytes: [UInt8], at sequence: UInt32) -> [UInt8] {
    guard !bytes.isEmpty, !hasGap else { return [] }
    let expected = next ?? sequence
    next = expected
    let distance = Int32(bitPattern: sequence &- expected)
    if distance > 0 {
      early.append((sequence, bytes))
      earlyCount += bytes.count
      if earlyCount > Self.limit { lose() }
      return []
    }
    guard -Int(distance) < bytes.count else { return [] }
    var ready = Array(bytes.dropFirst(-Int(distance)))
    advance(by: ready.count)
    while let index = early.firstIndex(where: { Int32(bitPattern: $0.sequence &- (next ?? 0)) <= 0 }) {
      let (sequence, bytes) = early.remove(at: index)
      earlyCount -= bytes.count
      let known = -Int(Int32(bitPattern: sequence &- (next ?? 0)))
      guard known < bytes.count else { continue }
      ready += bytes.dropFirst(known)
      advance(by: bytes.count - known)
    }
    return ready
  }

  /// The connection has ended: what still waits, waits for bytes that the capture does not have.
  mutating func end() {
    if !early.isEmpty { lose() }
  }

  private mutating func advance(by count: Int) {
    next = next.map { $0 &+ UInt32(truncatingIfNeeded: count) }
  }

  private mutating func lose() {
    hasGap = true
    early = []
    earlyCount = 0
  }
}
