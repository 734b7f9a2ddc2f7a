/// What becomes of a head's field lines on their way to the next hop, told line by line in the order in which they go out.
///
/// The rules speak to an editor, and there are two: one writes the head, the other lists what was changed. So the list cannot say
/// anything else than what was sent.
protocol HeadEditor {
  /// The line goes out as it came.
  mutating func keep(_ fields: HeaderFields, at index: Int)
  /// The line ends here.
  mutating func remove(_ fields: HeaderFields, at index: Int)
  /// The line goes out in its place, under the name as it is spelled, with another value.
  mutating func rewrite(_ fields: HeaderFields, at index: Int, to value: FieldValue)
  /// Behind the last line that came, before anything is added.
  mutating func endLines(of fields: HeaderFields)
  /// A line of our own, behind those before it.
  mutating func add(_ name: FieldName, _ value: FieldValue)
}

extension HeadEditor {
  /// Gives the line this value, which it may have already.
  mutating func set(_ fields: HeaderFields, at index: Int, to value: FieldValue) {
    if value.matches(fields, at: index) { keep(fields, at: index) } else { rewrite(fields, at: index, to: value) }
  }
}

/// The value of a line that we write.
enum FieldValue {
  case text(String)
  /// A token that is the same in any case: a line that has it in other letters has this value.
  case token(String)
  case decimal(UInt64)
  case bytes(Range<Int>, of: [UInt8])
  /// Nothing that may be shown.
  case secret(String)

  func append(into output: inout [UInt8]) {
    switch self {
    case .text(let text), .token(let text), .secret(let text): output.append(contentsOf: text.utf8)
    case .decimal(let number): HeadSerializer.appendDecimal(number, into: &output)
    case .bytes(let range, of: let bytes): output.append(range, of: bytes)
    }
  }

  /// As it may be shown; `nil` for a secret.
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
