/// The recorded part of one message body: its first octets up to a limit, and the true size of the whole.
package struct BodyCapture: Sendable {
  /// At most `limit` octets from the start of the body, content codings as they came, without chunked framing.
  package private(set) var octets: [UInt8] = []
  /// Octets of the whole body, however many were kept.
  package private(set) var size: UInt64 = 0
  /// The most octets kept; 0 keeps none.
  package let limit: Int

  package init(limit: Int) {
    self.limit = limit
  }

  /// Whether octets are missing from `octets`.
  package var isTruncated: Bool { size > UInt64(octets.count) }

  package mutating func append(_ bytes: Span<UInt8>) {
    size += UInt64(bytes.count)
    let room = min(limit - octets.count, bytes.count)
    guard room > 0 else { return }
    octets.append(contentsOf: bytes.extracting(first: room))
  }

  /// Counts octets that are not to be kept.
  package mutating func count(_ bytes: Span<UInt8>) {
    size += UInt64(bytes.count)
  }

  /// Forgets the octets and keeps the size: what the recorder does when its queue is full.
  package mutating func dropOctets() {
    octets = []
  }
}

extension [UInt8] {
  /// Appends borrowed octets with one copy.
  fileprivate mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
