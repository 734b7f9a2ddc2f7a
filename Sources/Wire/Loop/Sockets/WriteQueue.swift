internal import TapelineBase

/// Bytes that wait to be written, in order, in few pieces.
///
/// Small writes gather in `tail`; large chunks wait uncopied in `segments` before it. Written bytes are skipped, not moved, and a
/// partly written tail is closed at `segmentSize`: a queue that never runs empty holds at most that many written bytes.
///
/// Not copyable: a copy for each look at it would count the references of its pieces.
struct WriteQueue: ~Copyable {
  /// The pieces before the tail; `segments[..<head]` is written.
  private(set) var segments: [[UInt8]] = []
  private(set) var head = 0
  /// How many bytes of the first piece are written.
  private(set) var skipped = 0
  private(set) var tail: [UInt8] = []
  /// Bytes that wait.
  private(set) var count = 0

  /// From this size on the allocator returns freed memory to the system at once (mallopt(3), M_MMAP_THRESHOLD).
  static let segmentSize = 128 * 1024
  /// From this size on a chunk gets a segment of its own, and bytes get a system call of their own.
  static let largeSize = 16 * 1024
  /// Pieces per system call.
  static let vectorLimit = 16

  var isEmpty: Bool { count == 0 }

  /// Whether the tail has no storage yet, so that a spare buffer would save an allocation.
  var wantsBuffer: Bool { tail.capacity == 0 }

  mutating func useBuffer(_ buffer: consuming [UInt8]) {
    guard tail.isEmpty else { return }
    tail = buffer
  }

  /// The tail's storage, once nothing waits.
  mutating func takeBuffer() -> [UInt8] {
    precondition(isEmpty, "a buffer was taken from under bytes that wait")
    var buffer: [UInt8] = []
    swap(&buffer, &tail)
    buffer.removeAll(keepingCapacity: true)
    return buffer
  }

  // MARK: Adding

  /// Lets `body` append to the tail.
  mutating func append<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
    if skipped > 0, tail.count >= Self.segmentSize { closeTail() }
    let before = tail.count
    defer {
      precondition(tail.count >= before, "output was taken back")
      count += tail.count - before
    }
    try body(&tail)
  }

  /// Appends a copy, in pieces of one segment each: an array that doubles as it grows would need three times as much for a
  /// moment.
  mutating func append(_ bytes: Span<UInt8>) {
    var start = 0
    while start < bytes.count {
      if tail.count >= Self.segmentSize { closeTail() }
      let end = min(start + Self.segmentSize - tail.count, bytes.count)
      if bytes.count >= Self.largeSize, tail.capacity == 0 { tail.reserveCapacity(Self.segmentSize) }
      append { tail in tail.append(bytes: bytes.extracting(start..<end)) }
      start = end
    }
  }

  /// Appends a chunk: large ones without copying.
  mutating func append(_ chunk: consuming [UInt8]) {
    guard chunk.count >= Self.largeSize else { return append(chunk.span) }
    closeTail()
    count += chunk.count
    segments.append(chunk)
  }

  private mutating func closeTail() {
    guard !tail.isEmpty else { return }
    segments.append(tail)
    tail = []
  }

  // MARK: Leaving

  /// Forgets the first `written` bytes.
  mutating func remove(_ written: Int) {
    precondition(written <= count, "more bytes left than waited")
    count -= written
    var left = written + skipped
    while head < segments.count, left >= segments[head].count {
      left -= segments[head].count
      segments[head] = []
      head += 1
    }
    skipped = left
    if head == segments.count {
      segments.removeAll(keepingCapacity: segments.capacity <= Self.vectorLimit)
      head = 0
    }
    if count == 0 {
      tail.removeAll(keepingCapacity: true)
      skipped = 0
    }
  }

  mutating func removeAll() {
    self = WriteQueue()
  }

  /// Passes the waiting bytes to `body` and answers what it does; `false` if they are many, or in several pieces.
  func withFew(_ body: (Span<UInt8>) -> Bool) -> Bool {
    guard head == segments.count, !isEmpty, count < Self.largeSize else { return false }
    return body(tail.span.extracting(droppingFirst: skipped))
  }

  /// A copy of the bytes that wait.
  var waiting: [UInt8] {
    var bytes: [UInt8] = []
    for piece in segments[head...] { bytes += piece }
    bytes += tail
    return Array(bytes.dropFirst(skipped))
  }
}
