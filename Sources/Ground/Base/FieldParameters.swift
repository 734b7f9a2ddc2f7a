/// A field's value of the form `value; name=value; name="quoted"` (RFC 9110 5.6.6), as in `Content-Type` and
/// `Content-Disposition`.
///
/// Other programs write what the grammar forbids, so this reads it in one way: blanks around the equals sign are allowed; a piece
/// without an equals sign or without a name is not a parameter; a quotation mark counts only where a value begins; text after a
/// quoted value, up to the next semicolon, is left out; a quoted value without an end continues to the end of the text; the first
/// of several parameters with one name counts.
package struct FieldParameters: Sendable {
  /// The part before the first semicolon, without blanks around it.
  package let value: String
  /// In order; names in lower case, values without their quotes.
  package let parameters: [(name: String, value: String)]

  package init(_ field: String) {
    let bytes = Array(field.utf8)
    let span = bytes.span
    var cursor = ParameterCursor(in: span)
    value = String(decoding: bytes[span.trimmed(0..<cursor.index)], as: UTF8.self)
    var parameters: [(name: String, value: String)] = []
    while let parameter = cursor.next(in: span) {
      let name = String(decoding: bytes[parameter.name].map(Byte.lowercased), as: UTF8.self)
      parameters.append((name, String(decoding: parameter.content(in: span), as: UTF8.self)))
    }
    self.parameters = parameters
  }

  /// The value of the parameter called `name`, which is given in lower case.
  package subscript(name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// The value of one parameter, when nothing else of the field is needed: its bytes, which need not be UTF-8.
  ///
  /// - Parameter name: in lower case.
  package static func value(of name: StaticString, in field: Span<UInt8>) -> [UInt8]? {
    var cursor = ParameterCursor(in: field)
    while let parameter = cursor.next(in: field) {
      if field.equals(name, in: parameter.name) { return parameter.content(in: field) }
    }
    return nil
  }
}

/// Iterates over the parameters of a field's value, without copying.
private struct ParameterCursor {
  /// The semicolon before the next parameter, or the end of the text.
  private(set) var index: Int

  struct Parameter {
    let name: Range<Int>
    /// The part between the quotes, if the value is quoted; it still has its escapes.
    let value: Range<Int>
    let isQuoted: Bool

    /// The value without the backslashes of its escapes (RFC 9110 5.6.4). A backslash at the end of the text is dropped.
    func content(in text: Span<UInt8>) -> [UInt8] {
      var content: [UInt8] = []
      content.reserveCapacity(value.count)
      var index = value.lowerBound
      while index < value.upperBound {
        if isQuoted, text[index] == Byte.backslash { index += 1 }
        if index < value.upperBound { content.append(text[index]) }
        index += 1
      }
      return content
    }
  }

  init(in text: Span<UInt8>) {
    index = text.first(of: Byte.semicolon) ?? text.count
  }

  mutating func next(in text: Span<UInt8>) -> Parameter? {
    while index < text.count {
      let start = index + 1
      var nameEnd = start
      while nameEnd < text.count, text[nameEnd] != Byte.equals, text[nameEnd] != Byte.semicolon { nameEnd += 1 }
      guard nameEnd < text.count, text[nameEnd] == Byte.equals else {
        index = nameEnd
        continue
      }
      let name = text.trimmed(start..<nameEnd)
      let (value, isQuoted) = takeValue(in: text, from: nameEnd + 1)
      if !name.isEmpty { return Parameter(name: name, value: value, isQuoted: isQuoted) }
    }
    return nil
  }

  /// Moves to the next semicolon.
  private mutating func takeValue(in text: Span<UInt8>, from start: Int) -> (value: Range<Int>, isQuoted: Bool) {
    var place = start
    while place < text.count, Byte.isBlank(text[place]) { place += 1 }
    guard place < text.count, text[place] == Byte.quote else {
      index = text.first(of: Byte.semicolon, from: place) ?? text.count
      return (text.trimmed(place..<index), false)
    }
    var end = place + 1
    while end < text.count, text[end] != Byte.quote { end += text[end] == Byte.backslash ? 2 : 1 }
    end = min(end, text.count)
    index = text.first(of: Byte.semicolon, from: end) ?? text.count
    return (place + 1..<end, true)
  }
}
