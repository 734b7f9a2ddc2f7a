/// The parameters in a field's value: `; name=value; name="value"` (RFC 9110, 5.6.6).
enum FieldParameters {
  /// The value of the first parameter called `name`, which is in lower case; without its quotes and their backslashes.
  static func value(of name: StaticString, in text: Span<UInt8>) -> [UInt8]? {
    var index = text.first(of: UInt8(ascii: ";")) ?? text.count
    while index < text.count {
      let start = text.end(of: { $0 == UInt8(ascii: ";") || $0 == 0x20 || $0 == 0x09 }, from: index)
      let nameEnd = text.end(of: { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }, from: start)
      let (value, end) = value(in: text, after: nameEnd)
      if text.equals(name, in: text.trimmedBlanks(start..<nameEnd)) { return value }
      index = max(end, index + 1)
    }
    return nil
  }

  private static func value(in text: Span<UInt8>, after nameEnd: Int) -> (value: [UInt8], end: Int) {
    guard nameEnd < text.count, text[nameEnd] == UInt8(ascii: "=") else { return ([], nameEnd) }
    let start = text.end(of: { $0 == 0x20 || $0 == 0x09 }, from: nameEnd + 1)
    guard start < text.count, text[start] == UInt8(ascii: "\"") else {
      let end = text.first(of: UInt8(ascii: ";"), from: start) ?? text.count
      return (text.extracting(text.trimmedBlanks(start..<end)).array, end)
    }
    var value: [UInt8] = []
    var index = start + 1
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      if text[index] == UInt8(ascii: "\\"), index + 1 < text.count { index += 1 }
      value.append(text[index])
      index += 1
    }
    return (value, text.first(of: UInt8(ascii: ";"), from: index) ?? text.count)
  }
}
