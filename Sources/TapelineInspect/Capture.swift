internal import Glibc
package import TapelineHAR

/// The exchanges of a HAR file, one after the other; memory holds one exchange and one piece of the file.
package struct Capture: ~Copyable {
  private let descriptor: Int32
  private var reader = HARReader()
  private var piece = [UInt8](repeating: 0, count: 128 * 1_024)
  private var isAtEnd = false

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

  /// The next exchange in the order of the file; `nil` at its end.
  ///
  /// A damaged file yields what comes before the damage, then throws.
  package mutating func next() throws(CaptureError) -> HAREntry? {
    while true {
      while let event = try nextEvent() {
        if case .entry(let entry) = event { return entry }
      }
      guard !isAtEnd else { return nil }
      try readPiece()
    }
  }

  private mutating func nextEvent() throws(CaptureError) -> HARReader.Event? {
    do throws(HARReadError) {
      return try reader.next()
    } catch {
      throw .malformed(error)
    }
  }

  private mutating func readPiece() throws(CaptureError) {
    let descriptor = descriptor
    let count = unsafe piece.withUnsafeMutableBytes { buffer in
      while true {
        let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
        guard count < 0 else { return count }
        let cause = errno
        if cause != EINTR { return -Int(cause) }
      }
    }
    guard count >= 0 else { throw .system(code: Int32(-count)) }
    if count == 0 {
      reader.finish()
      isAtEnd = true
    } else {
      let octets = piece
      reader.feed(octets.span.extracting(first: count))
    }
  }
}
