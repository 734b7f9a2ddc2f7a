/// Copies field lines to the output as they came, adjacent lines in one copy.
struct FieldLineRun {
  private var pending = 0..<0

  /// Sends on the line at `index`.
  mutating func append(_ fields: HeaderFields, at index: Int, into output: inout [UInt8]) {
    guard let line = fields.lines[index].verbatimRange else {
      flush(fields, into: &output)
      HeadSerializer.appendField(fields, at: index, into: &output)
      return
    }
    if pending.upperBound == line.lowerBound {
      pending = pending.lowerBound..<line.upperBound
    } else {
      flush(fields, into: &output)
      pending = line
    }
  }

  /// Must be called before anything else is appended, and at the end.
  mutating func flush(_ fields: HeaderFields, into output: inout [UInt8]) {
    guard !pending.isEmpty else { return }
    output.append(pending, of: fields.bytes)
    pending = 0..<0
  }
}
