public import CTapeline
public import Glibc

/// The result of a non-blocking call.
public enum IOResult: Hashable, Sendable {
  /// It moved this many bytes. For a read, 0 is the end: of the file, or the peer's FIN.
  case done(Int)
  /// It would have blocked; the loop says when to try again.
  case wouldBlock
}

/// One of the pieces that are written at once; laid out like the system's `iovec`.
@unsafe
public struct IOVector {
  public let start: UnsafeRawPointer?
  public let count: Int

  /// No bytes.
  @inlinable
  public init() {
    unsafe start = nil
    unsafe count = 0
  }

  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    unsafe start = bytes.baseAddress
    unsafe count = bytes.count
  }
}

/// The one place that makes system calls.
///
/// Interrupted calls are retried, would-block is a value, and a bad descriptor is a bug of ours: the descriptor was used after
/// its close, and by now its number may belong to another connection.
public enum SystemCalls {
  @inlinable
  public static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> IOResult {
    try ioResult(.read) { unsafe tapeline_read(descriptor, buffer.baseAddress, buffer.count) }
  }

  @inlinable
  public static func write(_ descriptor: Int32, from buffer: UnsafeRawBufferPointer) throws(SystemCallError) -> IOResult {
    try ioResult(.write) { unsafe tapeline_write(descriptor, buffer.baseAddress, buffer.count) }
  }

  @inlinable
  public static func writev(_ descriptor: Int32, _ vectors: UnsafeBufferPointer<IOVector>) throws(SystemCallError) -> IOResult {
    try ioResult(.writev) {
      let start = unsafe UnsafeRawPointer(vectors.baseAddress)?.assumingMemoryBound(to: iovec.self)
      return unsafe tapeline_writev(descriptor, start, Int32(vectors.count))
    }
  }

  /// Reads at a position in a file, without moving the file's own position.
  package static func read(
    _ descriptor: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int {
    try count(.pread) { unsafe tapeline_pread(descriptor, buffer.baseAddress, buffer.count, offset) }
  }

  /// Writes at a position in a file, without moving the file's own position. It may write fewer bytes.
  package static func write(
    _ descriptor: Int32, at offset: Int, from buffer: UnsafeRawBufferPointer
  ) throws(SystemCallError) -> Int {
    try count(.pwrite) { unsafe tapeline_pwrite(descriptor, buffer.baseAddress, buffer.count, offset) }
  }

  /// Never retried: on Linux the descriptor is closed even if the call was interrupted.
  package static func close(_ descriptor: Int32) throws(SystemCallError) {
    let result = tapeline_close(descriptor)
    precondition(result != -EBADF, "a descriptor was closed twice")
    guard result < 0, result != -EINTR else { return }
    throw SystemCallError(code: -result, call: .close)
  }

  /// Closes a descriptor whose `close` reports nothing useful: nobody waits for anything that was written.
  package static func discard(_ descriptor: Int32) {
    let result = tapeline_close(descriptor)
    precondition(result != -EBADF, "a descriptor was closed twice")
  }

  /// The result of `body`, which is repeated while signals interrupt it.
  package static func retrying(_ call: SystemCallError.Call, _ body: () -> Int32) throws(SystemCallError) -> Int32 {
    Int32(truncatingIfNeeded: try count(call) { Int(body()) })
  }

  static func count(_ call: SystemCallError.Call, _ body: () -> Int) throws(SystemCallError) -> Int {
    while true {
      let result = body()
      if result >= 0 { return result }
      if result == -Int(EINTR) { continue }
      precondition(result != -Int(EBADF), "a descriptor was used after its close")
      throw SystemCallError(code: Int32(-result), call: call)
    }
  }

  @inline(__always)
  @inlinable
  static func ioResult(_ call: SystemCallError.Call, _ body: () -> Int) throws(SystemCallError) -> IOResult {
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

// Whole arrays, for callers to which a copy does not matter.
extension SystemCalls {
  /// Between 1 and `limit` bytes; empty at the end. `nil` if a non-blocking descriptor has no bytes yet.
  package static func read(_ descriptor: Int32, upTo limit: Int) throws(SystemCallError) -> [UInt8]? {
    var result = Result<IOResult, SystemCallError>.success(.wouldBlock)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      result = Result { () throws(SystemCallError) in
        try unsafe read(descriptor, into: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: limit))
      }
      if case .success(.done(let read)) = result { count = read }
    }
    switch result {
    case .success(.done): return bytes
    case .success(.wouldBlock): return nil
    case .failure(let error): throw error
    }
  }

  /// Reads into `room` from `offset` on: from a given position in the file, or from its current one.
  ///
  /// - Returns: the number of bytes; 0 at the end.
  package static func read(
    _ descriptor: Int32, at place: Int?, into room: inout [UInt8], from offset: Int = 0
  ) throws(SystemCallError) -> Int {
    var span = room.mutableSpan
    return try unsafe span.withUnsafeMutableBytes { room throws(SystemCallError) in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset...])
      if let place { return try unsafe read(descriptor, at: place, into: rest) }
      return try count(.read) { unsafe tapeline_read(descriptor, rest.baseAddress, rest.count) }
    }
  }

  /// Writes all of `bytes`, and waits if the descriptor is non-blocking (a child may have made a shared terminal so).
  package static func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) throws(SystemCallError) {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemCallError) in
      var written = 0
      while written < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        switch try unsafe write(descriptor, from: rest) {
        case .done(let count): written += count
        case .wouldBlock: _ = try wait(for: .writable, on: descriptor, milliseconds: nil)
        }
      }
    }
  }
}
