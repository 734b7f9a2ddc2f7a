internal import TapelineText

/// The content of a stream that waits for the client's windows, as a value.
struct OutgoingContent {
  private var bytes: [UInt8] = []
  private var start = 0

  /// From this size on, the producer stops.
  static let highWaterMark = 64 * 1024
  /// At this size it goes on.
  static let lowWaterMark = 16 * 1024

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ added: Span<UInt8>) {
    // The part that has gone is cut off before the rest must move.
    if start > 0, bytes.count + added.count > bytes.capacity {
      bytes = [UInt8](copying: bytes.span.extracting(droppingFirst: start))
      start = 0
    }
    bytes.append(bytes: added)
  }

  /// The next bytes, at most `limit`.
  mutating func take(_ limit: Int) -> [UInt8] {
    let end = min(start + limit, bytes.count)
    if start == 0, end == bytes.count {
      defer { bytes = [] }
      return bytes
    }
    let piece = [UInt8](copying: bytes.span.extracting(start..<end))
    start = end
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
    }
    return piece
  }

  mutating func drop() {
    bytes = []
    start = 0
  }
}
