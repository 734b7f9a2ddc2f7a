package import TapelineHAR
internal import TapelineInspect
internal import TapelineSystem

/// The results of a command, on stdout, gathered into large writes.
package struct StandardOutput {
  private var pending: [UInt8] = []

  private static let flushThreshold = 64 * 1_024

  package init() {}

  package mutating func write(line: String) throws(CommandFailure) {
    try write(line.utf8)
    try write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  package mutating func write(lines: [String]) throws(CommandFailure) {
    for line in lines {
      try write(line: line)
    }
  }

  package mutating func write(_ bytes: some Sequence<UInt8>) throws(CommandFailure) {
    pending.append(contentsOf: bytes)
    guard pending.count >= Self.flushThreshold else { return }
    try flush()
  }

  /// Writes a result that is nothing but these lines.
  package static func print(_ lines: [String]) throws(CommandFailure) {
    var output = StandardOutput()
    try output.write(lines: lines)
    try output.flush()
  }

  /// Writes a result that is nothing but this value.
  package static func print(json value: HARValue) throws(CommandFailure) {
    var output = StandardOutput()
    try output.write(json: value)
    try output.flush()
  }

  /// Call this at the end: only then is the whole result written.
  package mutating func flush() throws(CommandFailure) {
    defer { pending.removeAll(keepingCapacity: true) }
    do throws(SystemCallError) {
      try SystemCalls.writeAll(pending.span, to: StandardStream.output)
    } catch {
      throw CommandFailure(
        status: .writeFailed, what: "standard output", why: error.text, remedy: "free some space or choose another target")
    }
  }
}

extension StandardOutput {
  /// Writes a value on a line of its own.
  package mutating func write(json value: HARValue) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.append(value: value)
    try write(json: writer.bytes)
  }

  /// Writes JSON text on a line of its own, in which nothing drives a terminal.
  package mutating func write(json bytes: [UInt8]) throws(CommandFailure) {
    try write(TerminalJSON.escaped(bytes))
    try write(line: "")
  }

  /// Writes recorded bytes as they are, but to a terminal as text that does not drive it.
  package mutating func write(recorded bytes: [UInt8]) throws(CommandFailure) {
    if Terminal.isTerminal { try write(String(printableLinesOf: bytes).utf8) } else { try write(bytes) }
  }
}
