internal import CTapeline
internal import Glibc

/// The one place that makes system calls on descriptors.
///
/// Interrupted calls are retried, would-block is a value, and a bad descriptor is a bug of ours: it means that a descriptor was
/// used after its close, and by now its number may be someone else's connection.
enum SystemCalls {
  static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> IOResult {
    try ioResult(.read) { unsafe tapeline_read(descriptor, buffer.baseAddress, buffer.count) }
  }

  static func write(_ descriptor: Int32, from buffer: UnsafeRawBufferPointer) throws(SystemCallError) -> IOResult {
    try ioResult(.write) { unsafe tapeline_write(descriptor, buffer.baseAddress, buffer.count) }
  }

  static func writev(_ descriptor: Int32, _ vectors: UnsafeBufferPointer<iovec>) throws(SystemCallError) -> IOResult {
    try ioResult(.writev) { unsafe tapeline_writev(descriptor, vectors.baseAddress, Int32(vectors.count)) }
  }

  /// Never retried: on Linux the descriptor is gone even when the call was interrupted.
  static func close(_ descriptor: Int32) throws(SystemCallError) {
    let result = tapeline_close(descriptor)
    precondition(result != -EBADF, "a descriptor was closed twice")
    guard result < 0, result != -EINTR else { return }
    throw SystemCallError(code: -result, call: .close)
  }

  /// The result of `body`, repeated while signals interrupt it.
  static func retrying(_ call: SystemCallError.Call, _ body: () -> Int32) throws(SystemCallError) -> Int32 {
    while true {
      let result = body()
      if result >= 0 { return result }
      if result == -EINTR { continue }
      precondition(result != -EBADF, "a descriptor was used after its close")
      throw SystemCallError(code: -result, call: call)
    }
  }

  @inline(__always)
  private static func ioResult(_ call: SystemCallError.Call, _ body: () -> Int) throws(SystemCallError) -> IOResult {
    while true {
      let result = body()
      if result >= 0 { return .done(result) }
      let code = Int32(-result)
      if code == EINTR { continue }
      if code == EAGAIN { return .wouldBlock }
      precondition(code != EBADF, "a descriptor was used after its close")
      throw SystemCallError(code: code, call: call)
    }
  }
}
