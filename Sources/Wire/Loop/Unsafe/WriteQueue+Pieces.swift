internal import TapelineSystem

// The kernel takes the pieces of a queue where they are.
extension WriteQueue {
  /// Writes the waiting bytes with one system call, as many pieces as fit, followed by `extra` if it fits. They stay in the
  /// queue.
  ///
  /// - Returns: how many bytes the kernel was offered, and how many it took.
  func write(
    to socket: Int32, followedBy extra: Span<UInt8>
  ) throws(SystemCallError) -> (offered: Int, result: IOResult) {
    try unsafe extra.withUnsafeBytes { extra throws(SystemCallError) in
      var offered = 0
      let result = try unsafe withUnsafePieces(followedBy: extra) { bytes throws(SystemCallError) in
        offered = bytes.count
        return try unsafe SystemCalls.write(socket, from: bytes)
      } several: { vectors throws(SystemCallError) in
        for index in vectors.indices { unsafe offered += vectors[index].count }
        return try unsafe SystemCalls.writev(socket, vectors)
      }
      return (offered, result)
    }
  }

  /// Passes all waiting bytes to `single` if they are one piece, else the first pieces to `several`, followed by `extra` if it
  /// fits.
  func withUnsafePieces<Result, Failure: Error>(
    followedBy extra: UnsafeRawBufferPointer,
    single: (UnsafeRawBufferPointer) throws(Failure) -> Result,
    several: (UnsafeBufferPointer<IOVector>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isEmpty { return try unsafe single(extra) }
    if unsafe extra.isEmpty, head == segments.count {
      return try unsafe tail.span.withUnsafeBytes { bytes throws(Failure) in
        try unsafe single(UnsafeRawBufferPointer(rebasing: bytes[skipped...]))
      }
    }
    var vectors = unsafe InlineArray<16, IOVector>(repeating: IOVector())
    return try unsafe gather(from: head, into: &vectors, 0, extra, several)
  }

  /// Adds the piece at `index` and those after it, and calls `body` while all of them are held in place.
  private func gather<Result, Failure: Error>(
    from index: Int, into vectors: inout InlineArray<16, IOVector>, _ filled: Int, _ extra: UnsafeRawBufferPointer,
    _ body: (UnsafeBufferPointer<IOVector>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if filled == Self.vectorLimit || index > segments.count {
      var used = filled
      if used < Self.vectorLimit, unsafe !extra.isEmpty {
        unsafe vectors[used] = IOVector(extra)
        used += 1
      }
      return try unsafe vectors.span.extracting(first: used).withUnsafeBufferPointer(body)
    }
    let piece = index < segments.count ? segments[index] : tail
    let start = index == head ? skipped : 0
    guard piece.count > start else { return try unsafe gather(from: index + 1, into: &vectors, filled, extra, body) }
    return try unsafe piece.span.withUnsafeBytes { whole throws(Failure) in
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: whole[start...])
      unsafe vectors[filled] = IOVector(bytes)
      return try unsafe gather(from: index + 1, into: &vectors, filled + 1, extra, body)
    }
  }
}
