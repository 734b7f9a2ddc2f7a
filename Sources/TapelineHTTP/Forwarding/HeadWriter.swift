internal import TapelineText

/// Writes the lines that go out.
struct HeadWriter: HeadEditor {
  var output: [UInt8]
  private var run = FieldLineRun()

  /// Takes over the output until `finish`.
  init(taking output: inout [UInt8]) {
    self.output = []
    swap(&self.output, &output)
  }

  mutating func keep(_ fields: HeaderFields, at index: Int) {
    run.append(fields, at: index, into: &output)
  }

  /// The removed line lies between the kept lines, so it breaks their run by itself.
  mutating func remove(_ fields: HeaderFields, at index: Int) {}

  mutating func rewrite(_ fields: HeaderFields, at index: Int, to value: FieldValue) {
    run.flush(fields, into: &output)
    output.append(fields.nameRange(at: index), of: fields.bytes)
    appendValue(value)
  }

  mutating func add(_ name: FieldName, _ value: FieldValue) {
    output.append(contentsOf: name.spelling.utf8)
    appendValue(value)
  }

  mutating func endLines(of fields: HeaderFields) {
    run.flush(fields, into: &output)
  }

  /// Ends the head and gives the output back.
  mutating func finish(into output: inout [UInt8]) {
    HeadSerializer.appendEnd(into: &self.output)
    swap(&self.output, &output)
  }

  private mutating func appendValue(_ value: FieldValue) {
    output.append(Byte.colon)
    output.append(Byte.space)
    value.append(into: &output)
    HeadSerializer.appendEnd(into: &output)
  }
}
