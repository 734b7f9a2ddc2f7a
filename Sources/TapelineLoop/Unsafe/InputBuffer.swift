internal import TapelineSystem

/// The memory into which all channels of a loop read. The loop owns it; handlers borrow from it during a callback.
@safe
struct InputBuffer: ~Copyable {
  static let size = 128 * 1024
  /// Of what is read behind other input: a line of the processor's cache.
  static let alignment = 64

  private let memory: UnsafeMutableRawBufferPointer

  init() {
    unsafe memory = .allocate(byteCount: Self.size, alignment: Self.alignment)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// Reads once, from `start` to the end of the buffer; `stamp` is the kernel's, see `SystemCalls.receive`.
  @inline(__always)
  borrowing func read(from socket: Int32, at start: Int, stamp: inout Int64) throws(SystemCallError) -> IOResult {
    let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start...])
    return try unsafe SystemCalls.receive(from: socket, into: room, stamp: &stamp)
  }

  /// The stamp of the first byte that waits; 0 if no byte does. Uses the buffer's byte at `start`.
  borrowing func stampOfFirstByte(in socket: Int32, at start: Int) throws(SystemCallError) -> Int64 {
    var stamp: Int64 = 0
    let first = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start...start])
    _ = try unsafe SystemCalls.receive(from: socket, into: first, keepsBytes: true, stamp: &stamp)
    return stamp
  }

  /// Lends the bytes in `place`.
  @inline(__always)
  borrowing func withBytes(_ place: Range<Int>, _ body: (Span<UInt8>) -> Void) {
    body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[place])))
  }
}
