internal import CCompression

/// Compresses the messages that one end of a permessage-deflate connection sends (RFC 7692 7.2.1). The window carries over from
/// message to message, unless it is reset.
///
/// Owned by one thread.
@safe
package final class MessageDeflater {
  /// Owned. zlib keeps a pointer back to it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let forgets: Bool

  private static let memoryLevel: Int32 = 8
  /// Ends every message, and is not sent.
  private static let tailSize = 4

  /// - Parameters:
  ///   - windowBits: the largest window, as its binary logarithm. zlib has none of 8: `nil` for it.
  ///   - forgets: whether each message begins with an empty window.
  package init?(windowBits: Int, forgets: Bool) {
    guard (9...15).contains(windowBits) else { return nil }
    self.forgets = forgets
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let code = unsafe deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -Int32(windowBits), Self.memoryLevel, Z_DEFAULT_STRATEGY, zlibVersion(),
      Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib starts with valid parameters unless there is no memory")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// The payload of a compressed message. It has less than 4 GiB.
  package func deflate(_ message: Span<UInt8>) -> [UInt8] {
    if forgets { unsafe deflateReset(stream) }
    // An empty block behind the last one, and what the message before may have left.
    let room = unsafe Int(deflateBound(stream, UInt(message.count))) + 64
    return unsafe message.withUnsafeBufferPointer { input in
      unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
        // zlib takes a pointer to mutable bytes but does not change them.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room)
        let code = unsafe CCompression.deflate(stream, Z_SYNC_FLUSH)
        let isWhole = unsafe code == Z_OK && stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
        // Nothing comes out of nothing twice: then an empty block is the message (RFC 7692 7.2.3.6).
        precondition(isWhole || code == Z_BUF_ERROR, "zlib compresses anything into the room that it asked for")
        let made = unsafe room - Int(stream.pointee.avail_out)
        count = max(0, made - Self.tailSize)
        if count == 0 {
          unsafe output[0] = 0
          count = 1
        }
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
      }
    }
  }
}
