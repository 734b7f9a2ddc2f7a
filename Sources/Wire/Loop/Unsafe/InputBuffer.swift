internal import TapelineSystem

/// The memory into which all channels of a loop read, one after the other. The loop owns it; handlers borrow from it during a
/// callback.
@safe
struct InputBuffer: ~Copyable {
  static let size = 128 * 1024

  private let memory: UnsafeMutableRawBufferPointer

  init() {
    unsafe memory = .allocate(byteCount: Self.size, alignment: 64)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// Reads once, into the beginning; `stamp` is the kernel's, see `SystemCalls.receive`.
  @inline(__always)
  borrowing func read(from socket: Int32, stamp: inout Int64) throws(SystemCallError) -> IOResult {
    try unsafe SystemCalls.receive(from: socket, into: memory, stamp: &stamp)
  }

  /// The stamp of the first byte that waits; 0 if no byte does.
  borrowing func stampOfFirstByte(in socket: Int32) throws(SystemCallError) -> Int64 {
    var stamp: Int64 = 0
    let first = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<1])
    _ = try unsafe SystemCalls.receive(from: socket, into: first, keepsBytes: true, stamp: &stamp)
    return stamp
  }

  /// Lends the first `count` bytes.
  @inline(__always)
  borrowing func withFirst(_ count: Int, _ body: (Span<UInt8>) -> Void) {
    body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[..<count])))
  }
}
