internal import FoundationEssentials
internal import TapelineSystem

/// Text of encodings that only the system knows. A converter lives for one call.
enum CharacterConversion {
  /// Whether the system can decode the encoding called `name`.
  static func isKnown(_ name: String) -> Bool {
    converter(from: name) != nil
  }

  /// The text; `nil` when `data` is not what the encoding says, or the system does not know it.
  static func decode(_ data: Data, from name: String) -> String? {
    guard let converter = converter(from: name) else { return nil }
    // No encoding makes more than four bytes of UTF-8 from one of its own.
    var text = [UInt8](repeating: 0, count: data.count * 4 + 16)
    var (position, end) = (0, 0)
    guard case .end = converter.convert(Array(data).span, from: &position, into: &text, from: &end),
      // A decoder may still owe a character that it held back to see what follows.
      converter.finish(into: &text, from: &end)
    else { return nil }
    return String(validating: text[..<end], as: UTF8.self)
  }

  private static func converter(from name: String) -> CharacterConverter? {
    // What stands behind a slash are options of iconv's own, which a server has no business to set.
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    return CharacterConverter(from: name)
  }
}
