internal import FoundationEssentials
internal import TapelineSystem

/// Decodes text in encodings that only the system knows. A converter lives for one call.
enum CharacterConversion {
  /// Whether the system can decode the encoding called `name`.
  static func isKnown(_ name: String) -> Bool {
    converter(from: name) != nil
  }

  /// The text; `nil` when `data` is not valid in the encoding, or the system does not know the encoding.
  static func decode(_ data: Data, from name: String) -> String? {
    guard let converter = converter(from: name) else { return nil }
    // No encoding makes more than four bytes of UTF-8 from one of its own.
    var text = [UInt8](repeating: 0, count: data.count * 4 + 16)
    var (position, end) = (0, 0)
    guard case .end = converter.convert(Array(data).span, from: &position, into: &text, from: &end),
      // A decoder may still hold back a character, waiting for the next one.
      converter.finish(into: &text, from: &end)
    else { return nil }
    return String(validating: text[..<end], as: UTF8.self)
  }

  private static func converter(from name: String) -> CharacterConverter? {
    // Text after a slash sets options of iconv, which a server must not set.
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    return CharacterConverter(from: name)
  }
}
