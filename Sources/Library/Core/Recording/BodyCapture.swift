internal import TapelineBase

/// The recorded part of one message body: its first bytes up to a limit, and the true size of the whole.
package struct BodyCapture: Sendable {
  /// At most `limit` bytes from the start of the body, content codings as they came, without chunked framing.
  package private(set) var bytes: [UInt8] = []
  /// Bytes of the whole body, however many were kept.
  package private(set) var size: UInt64 = 0
  /// The most bytes kept; 0 keeps none.
  package let limit: Int

  package init(limit: Int) {
    self.limit = limit
  }

  /// Whether bytes are missing from `bytes`.
  package var isTruncated: Bool { size > UInt64(bytes.count) }

  /// Whether no more bytes will be kept.
  package var isFull: Bool { bytes.count >= limit }

  package mutating func append(_ piece: Span<UInt8>) {
    size += UInt64(piece.count)
    let room = min(limit - bytes.count, piece.count)
    guard room > 0 else { return }
    bytes.append(bytes: piece.extracting(first: room))
  }

  /// Counts bytes that are not to be kept.
  package mutating func count(_ bytes: Span<UInt8>) {
    size += UInt64(bytes.count)
  }

  /// Counts bytes that nobody has seen.
  package mutating func count(_ size: UInt64) {
    self.size += size
  }

  /// Forgets the bytes and keeps the size: the recorder does this when its queue is full.
  package mutating func dropBytes() {
    bytes = []
  }
}
