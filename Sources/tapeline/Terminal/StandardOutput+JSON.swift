internal import TapelineHAR
internal import TapelineInspect

extension StandardOutput {
  /// Writes a value on a line of its own.
  mutating func write(json value: HARValue) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.append(value: value)
    try write(json: writer.bytes)
  }

  /// Writes JSON text on a line of its own, in which nothing drives a terminal.
  mutating func write(json bytes: [UInt8]) throws(CommandFailure) {
    try write(TerminalJSON.escaped(bytes))
    try write(line: "")
  }

  /// Writes recorded bytes as they are, but to a terminal as text that does not drive it.
  mutating func write(recorded bytes: [UInt8]) throws(CommandFailure) {
    if Terminal.isTerminal { try write(String(printableLinesOf: bytes).utf8) } else { try write(bytes) }
  }
}
