internal import TapelineHTTP2

/// Which streams' frames lie where in the output of a connection, as a value: tells whose bytes the kernel has taken.
struct OutputLedger {
  /// Bytes so far, and how many of them the kernel has taken.
  private(set) var written: UInt64
  private(set) var delivered: UInt64 = 0
  /// Where frames of a stream end, in order.
  private var ends: [(offset: UInt64, stream: HTTP2StreamID)] = []

  /// - Parameter earlier: bytes on the way that belong to no stream.
  init(earlier: Int) {
    written = UInt64(earlier)
  }

  mutating func append(_ count: Int) {
    written += UInt64(count)
  }

  /// The last bytes have frames of the stream.
  mutating func note(_ stream: HTTP2StreamID) {
    if let last = ends.last, last == (written, stream) { return }
    ends.append((written, stream))
  }

  /// The kernel has taken `count` bytes. Answers the streams of which it now has more.
  mutating func deliver(_ count: Int) -> [HTTP2StreamID] {
    delivered += UInt64(count)
    let reached = ends.prefix { $0.offset <= delivered }.map(\.stream)
    ends.removeFirst(reached.count)
    return reached
  }
}
