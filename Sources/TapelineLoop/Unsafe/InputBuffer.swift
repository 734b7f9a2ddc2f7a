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

  /// Reads once, into the beginning.
  @inline(__always)
  borrowing func read(from socket: Int32) throws(SystemCallError) -> IOResult {
    try unsafe SystemCalls.read(socket, into: memory)
  }

  /// Lends the first `count` bytes.
  @inline(__always)
  borrowing func withFirst(_ count: Int, _ body: (Span<UInt8>) -> Void) {
    body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[..<count])))
  }
}
