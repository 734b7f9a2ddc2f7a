internal import TapelineText

/// The first of some bytes that are not text: offset, sixteen bytes in hexadecimal, and their ASCII characters.
enum HexDump {
  private static let lineLength = 16

  static func lines(of bytes: [UInt8], limit: Int, palette: Palette) -> [String] {
    var lines = stride(from: 0, to: min(bytes.count, limit), by: lineLength).map { start in
      line(bytes[start..<min(start + lineLength, bytes.count, limit)], at: start, palette)
    }
    if bytes.count > limit {
      lines.append(palette.apply(.dim, to: "(… \(bytes.count - limit) more bytes; --body prints all)"))
    }
    return lines
  }

  /// Two digits for each byte.
  static func figures(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { Hexadecimal.text(of: $0, digits: 2) }.joined(separator: " ")
  }

  private static func line(_ bytes: ArraySlice<UInt8>, at start: Int, _ palette: Palette) -> String {
    let figures = figures(bytes).padded(to: lineLength * 3 - 1)
    let text = bytes.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    return palette.apply(.dim, to: Hexadecimal.text(of: UInt(start), digits: 4)) + "  " + figures + "  " + text
  }
}
