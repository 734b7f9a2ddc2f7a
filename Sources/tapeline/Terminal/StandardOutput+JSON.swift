internal import TapelineHAR

extension StandardOutput {
  /// A value in a line of its own.
  mutating func write(json value: HARValue) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.append(value: value)
    try write(writer.octets)
    try write(line: "")
  }
}
