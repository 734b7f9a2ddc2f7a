/// Octets in a line: how many there are, the first of them in hexadecimal, and what they say where they are text.
enum OctetLine {
  /// So many figures stand before a text.
  private static let octetsBeforeText = 8

  /// `5 B  68 65 6c 6c 6f  "hello"`, in `width` cells, where those suffice for anything.
  ///
  /// - Parameter count: of all of them, where `octets` are the first.
  static func text(of octets: [UInt8], size count: Int, width: Int) -> String {
    let size = ByteCountText.long(count)
    guard !octets.isEmpty else { return size }
    let room = width - size.count - 2
    guard let text = text(octets) else { return "\(size)  \(figures(octets, count: max(1, (room - 1) / 3)))" }
    let figures = figures(octets, count: min(octetsBeforeText, max(1, room / 6)))
    return "\(size)  \(figures)  \"\(text.elided(to: max(1, room - figures.count - 4)))\""
  }

  /// `nil` of what is no text: other than UTF-8, or with controls in it.
  private static func text(_ octets: [UInt8]) -> String? {
    guard let text = String(validating: octets, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.isControl && $0 != "\n" && $0 != "\t" && $0 != "\r" })
    else { return nil }
    return text.printable
  }

  private static func figures(_ octets: [UInt8], count: Int) -> String {
    HexDump.figures(octets.prefix(count)) + (octets.count > count ? "…" : "")
  }
}
