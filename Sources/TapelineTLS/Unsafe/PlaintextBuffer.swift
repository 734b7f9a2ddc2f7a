/// Holds decrypted bytes during their delivery. All connections of a loop share one, since none keeps bytes in it.
@safe
package final class PlaintextBuffer {
  /// Four records, so that one delivery takes everything from one read of a socket.
  static let size = 64 * 1024

  private let storage: UnsafeMutableRawBufferPointer
  private var isInUse = false

  package init() {
    unsafe storage = .allocate(byteCount: Self.size, alignment: 64)
  }

  deinit {
    unsafe storage.deallocate()
  }

  /// Lends the storage for one call of `receive`.
  func lend<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(!isInUse, "bytes were received while others were being delivered from the same buffer")
    isInUse = true
    defer { isInUse = false }
    return try unsafe body(storage)
  }
}
