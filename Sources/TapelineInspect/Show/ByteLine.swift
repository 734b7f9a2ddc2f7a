/// Bytes in one line: their count, the first of them in hexadecimal, and their text if they are text.
enum ByteLine {
  /// The number of bytes shown in hexadecimal before a text.
  private static let bytesBeforeText = 8

  /// `5 B  68 65 6c 6c 6f  "hello"`, in `width` cells, unless `width` is too small for anything.
  ///
  /// - Parameter count: the number of all bytes, of which `bytes` are the first.
  static func text(of bytes: [UInt8], size count: Int, width: Int) -> String {
    let size = ByteCountText.long(count)
    guard !bytes.isEmpty else { return size }
    let room = width - size.count - 2
    guard let text = text(bytes) else { return "\(size)  \(figures(bytes, count: max(1, (room - 1) / 3)))" }
    let figures = figures(bytes, count: min(bytesBeforeText, max(1, room / 6)))
    return "\(size)  \(figures)  \"\(text.elided(to: max(1, room - figures.count - 4)))\""
  }

  /// `nil` if the bytes are not text: not UTF-8, or with control characters.
  private static func text(_ bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.isControl && $0 != "\n" && $0 != "\t" && $0 != "\r" })
    else { return nil }
    return text.printable
  }

  private static func figures(_ bytes: [UInt8], count: Int) -> String {
    HexDump.figures(bytes.prefix(count)) + (bytes.count > count ? "…" : "")
  }
}
