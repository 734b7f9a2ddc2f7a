internal import Synchronization

/// Holds a stream to its declared length.
final class LengthCheck: Sendable {
  private let expected: UInt64
  private let read = Mutex<UInt64>(0)

  init(_ expected: UInt64) {
    self.expected = expected
  }

  /// The next bytes of the stream, none at its end, passed on if they fit.
  func pass(_ bytes: [UInt8]) throws(UploadError) -> [UInt8] {
    let total = read.withLock { read in
      read += UInt64(bytes.count)
      return read
    }
    guard total <= expected else { throw .exceededLength(expected: expected) }
    guard !bytes.isEmpty || total == expected else { throw .endedEarly(expected: expected, read: total) }
    return bytes
  }
}
