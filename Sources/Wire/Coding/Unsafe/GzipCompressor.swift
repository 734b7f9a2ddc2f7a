internal import CCompression

/// Compresses whole messages into gzip (RFC 1952). Keeps zlib's memory between messages.
///
/// Owned by one thread.
@safe
package final class GzipCompressor {
  /// Owned. zlib keeps a pointer back to it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>

  /// zlib's `windowBits` for gzip with the largest window, and its standard memory.
  private static let windowBits: Int32 = 31
  private static let memoryLevel: Int32 = 8

  /// The goal of a compression.
  package enum Aim: Sendable {
    case speed
    case size

    fileprivate var level: Int32 {
      switch self {
      case .speed: Z_BEST_SPEED
      case .size: Z_BEST_COMPRESSION
      }
    }
  }

  package init(for aim: Aim) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let code = unsafe deflateInit2_(
      stream, aim.level, Z_DEFLATED, Self.windowBits, Self.memoryLevel, Z_DEFAULT_STRATEGY, zlibVersion(),
      Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib starts with valid parameters unless there is no memory")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// `message` as one gzip member. It has less than 4 GiB.
  package func compress(_ message: [UInt8]) -> [UInt8] {
    unsafe deflateReset(stream)
    let room = unsafe Int(deflateBound(stream, UInt(message.count)))
    return unsafe message.withUnsafeBufferPointer { input in
      unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
        // zlib takes a pointer to mutable bytes but does not change them.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room)
        let code = unsafe deflate(stream, Z_FINISH)
        precondition(code == Z_STREAM_END, "zlib compresses anything into the room that it asked for")
        count = unsafe room - Int(stream.pointee.avail_out)
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
      }
    }
  }
}
