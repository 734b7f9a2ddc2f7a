internal import Glibc

/// A file that is read from its start, piece by piece.
package struct InputFile: ~Copyable {
  private let descriptor: Int32
  private var piece = [UInt8](repeating: 0, count: 256 << 10)
  /// Octets of `piece` that were read last.
  private var count = 0

  /// Opens the file; `-` is standard input.
  package init(path: String) throws(CaptureError) {
    let isStandardInput = path == "-"
    // errno is read before anything else can run: nothing of ours may come between the call and it.
    let opened = unsafe path.withCString { path in
      let descriptor = isStandardInput ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
      return descriptor < 0 ? -errno : descriptor
    }
    guard opened >= 0 else { throw .system(code: -opened) }
    descriptor = opened
  }

  deinit {
    // Nothing was written, so nothing can be lost in a failing close.
    _ = close(descriptor)
  }

  /// Reads the next piece; `false` at the end of the file.
  package mutating func read() throws(CaptureError) -> Bool {
    let descriptor = descriptor
    count = try Self.retried {
      unsafe piece.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
    }
    return count > 0
  }

  /// Lends what the last `read` has read.
  package func withPiece<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(piece.span.extracting(first: count))
  }

  /// The octets of `range`, wherever else the reading stands. What the file does not hold any more is missing at the end.
  package func octets(in range: Range<Int>) throws(CaptureError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    while filled < range.count {
      let offset = filled
      let count = try Self.retried {
        unsafe octets.withUnsafeMutableBytes { buffer in
          unsafe pread(descriptor, buffer.baseAddress?.advanced(by: offset), range.count - offset, range.lowerBound + offset)
        }
      }
      if count == 0 { break }
      filled += count
    }
    octets.removeLast(range.count - filled)
    return octets
  }

  /// The last octets of the file; `nil` where it has no end that can be looked at before what comes before it, as a pipe.
  package func end(atMost limit: Int) throws(CaptureError) -> [UInt8]? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try octets(in: max(0, status.st_size - limit)..<status.st_size)
  }

  /// Calls again while signals interrupt.
  private static func retried(_ call: () -> Int) throws(CaptureError) -> Int {
    while true {
      let count = call()
      guard count < 0 else { return count }
      let cause = errno
      if cause != EINTR { throw .system(code: cause) }
    }
  }
}
