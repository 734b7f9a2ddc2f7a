/// Where decrypted bytes lie while they are delivered: one for all connections of a loop, as none of them keeps any there.
@safe
package final class PlaintextBuffer {
  /// Four records: what a read from a socket holds is delivered at once.
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
