internal import TapelineSystem

/// Converts text of other encodings to UTF-8.
///
/// Owned by the recorder's thread; keeps a converter for each encoding that it has met.
final class TextTranscoder {
  private var converters: [LegacyCharset: Converter] = [:]

  private final class Converter {
    /// `nil` when this system does not have the encoding.
    let converter: CharacterConverter?

    init(_ charset: LegacyCharset) {
      converter = CharacterConverter(from: charset.name)
    }

    /// The text as UTF-8; `nil` when it is not valid in its encoding.
    func transcode(_ text: Span<UInt8>, mapsGapsToControls: Bool, isTruncated: Bool) -> [UInt8]? {
      guard converter != nil else { return nil }
      converter?.reset()
      // No encoding makes more than three bytes of UTF-8 from one byte, and few make more than two.
      var output = [UInt8](repeating: 0, count: text.count * 3 + 16)
      var (position, end) = (0, 0)
      while position < text.count {
        switch converter?.convert(text, from: &position, into: &output, from: &end) {
        case .end: break
        case .incomplete:
          guard isTruncated else { return nil }
          return Array(output[..<end])
        case .invalid where mapsGapsToControls && output.count - end >= 2:
          output[end] = 0xC0 | text[position] >> 6
          output[end + 1] = 0x80 | text[position] & 0x3F
          position += 1
          end += 2
        case .invalid, .full, nil: return nil
        }
      }
      // The bytes that a stateful encoding still holds back.
      _ = converter?.finish(into: &output, from: &end)
      output.removeLast(output.count - end)
      return output
    }
  }

  /// The text as UTF-8; `nil` when it is not valid in its encoding. A character that is cut off at the end is left out.
  func transcode(_ text: Span<UInt8>, from charset: LegacyCharset, isTruncated: Bool) -> [UInt8]? {
    converter(for: charset).transcode(text, mapsGapsToControls: charset.mapsGapsToControls, isTruncated: isTruncated)
  }

  private func converter(for charset: LegacyCharset) -> Converter {
    if let known = converters[charset] { return known }
    let converter = Converter(charset)
    converters[charset] = converter
    return converter
  }
}
