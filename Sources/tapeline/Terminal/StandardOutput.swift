internal import TapelineSystem

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

  /// Call this at the end: only then is the whole result written.
  mutating func flush() throws(CommandFailure) {
    defer { pending.removeAll(keepingCapacity: true) }
    do throws(SystemCallError) {
      try SystemCalls.writeAll(pending.span, to: StandardStream.output)
    } catch {
      throw CommandFailure(
        status: .writeFailed, what: "standard output", why: error.text, remedy: "free some space or choose another target")
    }
  }
}
