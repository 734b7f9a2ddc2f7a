/// The beginning of octets that are no text: offset, sixteen octets in hexadecimal, and what of them is ASCII.
enum HexDump {
  private static let lineLength = 16

  static func lines(of octets: [UInt8], limit: Int, palette: Palette) -> [String] {
    var lines = stride(from: 0, to: min(octets.count, limit), by: lineLength).map { start in
      line(octets[start..<min(start + lineLength, octets.count, limit)], at: start, palette)
    }
    if octets.count > limit {
      lines.append(palette.apply(.dim, to: "(… \(octets.count - limit) more octets; --body prints all)"))
    }
    return lines
  }

  /// Two digits for each.
  static func figures(_ octets: ArraySlice<UInt8>) -> String {
    octets.map { hexadecimal(Int($0), digits: 2) }.joined(separator: " ")
  }

  private static func line(_ octets: ArraySlice<UInt8>, at start: Int, _ palette: Palette) -> String {
    let figures = figures(octets).padded(to: lineLength * 3 - 1)
    let text = octets.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    return palette.apply(.dim, to: hexadecimal(start, digits: 4)) + "  " + figures + "  " + text
  }

  private static func hexadecimal(_ value: Int, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
