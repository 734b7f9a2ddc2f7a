internal import CTapeline
internal import Glibc
internal import TapelineLoop

/// The results of a command, on stdout, gathered into large writes.
struct StandardOutput {
  private var pending: [UInt8] = []

  private static let flushThreshold = 64 * 1_024

  mutating func write(line: String) throws(CommandFailure) {
    try write(line.utf8)
    try write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  mutating func write(lines: [String]) throws(CommandFailure) {
    for line in lines {
      try write(line: line)
    }
  }

  mutating func write(_ bytes: some Sequence<UInt8>) throws(CommandFailure) {
    pending.append(contentsOf: bytes)
    guard pending.count >= Self.flushThreshold else { return }
    try flush()
  }

  /// Whoever writes flushes at the end: only then is the result out.
  mutating func flush() throws(CommandFailure) {
    let cause = writeAll(pending, to: STDOUT_FILENO)
    pending.removeAll(keepingCapacity: true)
    guard cause == 0 else {
      throw CommandFailure(
        status: .writeFailed, what: "standard output", why: systemErrorText(cause),
        remedy: "free some space or choose another target")
    }
  }
}

/// Writes all of `bytes`, waiting where the descriptor is non-blocking (a child may have made a shared terminal so).
///
/// Returns 0, or the `errno` that stopped it.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var written = 0
  while written < bytes.count {
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe tapeline_write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
    }
    switch -Int32(truncatingIfNeeded: min(result, 0)) {
    case 0: written += result
    case EINTR: continue
    case EAGAIN:
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&request, 1, -1)
    case let cause: return cause
    }
  }
  return 0
}

/// The system's text for an `errno`.
func systemErrorText(_ code: Int32) -> String {
  SystemCallError.text(of: code)
}
