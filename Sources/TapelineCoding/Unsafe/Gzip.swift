internal import CCompression

/// Makes gzip (RFC 1952) of bytes that are all there.
package enum Gzip {
  /// zlib's `windowBits` for this format, with the largest window.
  private static let format: Int32 = 31
  /// zlib's usual amount of memory.
  private static let memoryLevel: Int32 = 8

  /// - Precondition: `input` has less than 4 GiB.
  package static func compress(_ input: Span<UInt8>) -> [UInt8] {
    var stream = unsafe z_stream()
    let started = unsafe deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, format, memoryLevel, Z_DEFAULT_STRATEGY, zlibVersion(),
      Int32(MemoryLayout<z_stream>.size))
    precondition(started == Z_OK, "zlib starts with valid parameters unless there is no memory")
    defer { unsafe deflateEnd(&stream) }
    let room = unsafe Int(deflateBound(&stream, UInt(input.count)))
    return unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
      unsafe input.withUnsafeBufferPointer { input in
        unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(room)
        let code = unsafe deflate(&stream, Z_FINISH)
        precondition(code == Z_STREAM_END, "there is room for the bound that zlib gave")
      }
      count = unsafe room - Int(stream.avail_out)
    }
  }
}
