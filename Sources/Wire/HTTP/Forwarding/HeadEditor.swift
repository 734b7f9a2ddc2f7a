internal import TapelineBase

/// Receives what becomes of each field line of a head on its way to the next hop, in the order in which the lines go out.
///
/// The rules call an editor, and there are two: one writes the head, the other lists the changes. So the list always agrees with
/// the head that was sent.
protocol HeadEditor {
  /// The line goes out as it came.
  mutating func keep(_ fields: HeaderFields, at index: Int)
  /// The line ends here.
  mutating func remove(_ fields: HeaderFields, at index: Int)
  /// The line keeps its place and the spelling of its name, but goes out with another value.
  mutating func rewrite(_ fields: HeaderFields, at index: Int, to value: FieldValue)
  /// Called after the last line that came, before any line is added.
  mutating func endLines(of fields: HeaderFields)
  /// A line of our own, after all earlier ones.
  mutating func add(_ name: FieldName, _ value: FieldValue)
}

extension HeadEditor {
  /// Gives the line this value, unless it has it already.
  mutating func set(_ fields: HeaderFields, at index: Int, to value: FieldValue) {
    if value.matches(fields, at: index) { keep(fields, at: index) } else { rewrite(fields, at: index, to: value) }
  }
}

/// The value of a line that we write.
enum FieldValue {
  case text(String)
  /// A case-insensitive token: a line that spells it in other case has this value.
  case token(String)
  case decimal(UInt64)
  case bytes(Range<Int>, of: [UInt8])
  /// A value that must not be shown.
  case secret(String)

  func append(into output: inout [UInt8]) {
    switch self {
    case .text(let text), .token(let text), .secret(let text): output.append(contentsOf: text.utf8)
    case .decimal(let number): HeadSerializer.appendDecimal(number, into: &output)
    case .bytes(let range, of: let bytes): output.append(range, of: bytes)
    }
  }

  /// The value as it may be shown; `nil` for a secret.
  var shown: String? {
    switch self {
    case .text(let text), .token(let text): text
    case .decimal(let number): String(number)
    case .bytes(let range, of: let bytes): String(bytes: bytes.span.extracting(range))
    case .secret: nil
    }
  }

  /// Whether the line has this value already.
  func matches(_ fields: HeaderFields, at index: Int) -> Bool {
    let value = fields.bytes.span.extracting(fields.valueRange(at: index))
    switch self {
    case .text(let text), .secret(let text): return value.equals(text.utf8.span)
    case .token(let token): return value.equalsIgnoringCase(token.utf8.span)
    case .decimal(let number): return value.isDecimal(number)
    case .bytes(let range, of: let bytes): return value.equals(bytes.span.extracting(range))
    }
  }
}

extension Span<UInt8> {
  /// Whether this is `number` as we write it: no sign, no leading zero.
  fileprivate func isDecimal(_ number: UInt64) -> Bool {
    var rest = number
    var index = count
    repeat {
      index -= 1
      guard index >= 0, self[index] == UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10) else { return false }
      rest /= 10
    } while rest > 0
    return index == 0
  }
}

/// Writes the lines that go out.
struct HeadWriter: HeadEditor {
  var output: [UInt8]
  /// Whether a line was removed, rewritten or added.
  private(set) var hasChanged = false
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
  mutating func remove(_ fields: HeaderFields, at index: Int) {
    hasChanged = true
  }

  mutating func rewrite(_ fields: HeaderFields, at index: Int, to value: FieldValue) {
    hasChanged = true
    run.flush(fields, into: &output)
    output.append(fields.nameRange(at: index), of: fields.bytes)
    appendValue(value)
  }

  mutating func add(_ name: FieldName, _ value: FieldValue) {
    hasChanged = true
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

/// One change to a head between receiving and forwarding it.
package enum HeadChange: Hashable, Sendable {
  /// A line of our own; without its value if that is a secret.
  case added(name: String, value: String?)
  /// The line at this index ended here.
  case removed(Int)
  /// The line at this index went out with another value.
  case rewritten(Int, to: String)
  /// The message went on in another version.
  case version(HTTPVersion, to: HTTPVersion)
  /// The `:authority` went out with another value.
  case authority(String, to: String)
}

/// Lists what is changed.
struct HeadChangeList: HeadEditor {
  private(set) var changes: [HeadChange] = []

  /// - Parameter sent: the version that the message goes on in.
  init(version: HTTPVersion, to sent: HTTPVersion = .http11) {
    if version != sent { changes.append(.version(version, to: sent)) }
  }

  mutating func keep(_ fields: HeaderFields, at index: Int) {}

  mutating func remove(_ fields: HeaderFields, at index: Int) {
    changes.append(.removed(index))
  }

  mutating func rewrite(_ fields: HeaderFields, at index: Int, to value: FieldValue) {
    changes.append(.rewritten(index, to: value.shown ?? ""))
  }

  mutating func endLines(of fields: HeaderFields) {}

  mutating func add(_ name: FieldName, _ value: FieldValue) {
    changes.append(.added(name: name.spelling, value: value.shown))
  }
}

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
