internal import TapelineBase

/// The kind of a file that is not a HAR, detected from its first bytes.
package struct ForeignContent: Hashable, Sendable {
  /// With its article, as in `a PNG image`.
  package let name: String
  /// How to fix it, if there is a way.
  package let remedy: String?
  /// Whether no damaged HAR looks like this.
  let isCertain: Bool

  /// The number of bytes needed for detection.
  static let signatureSize = 512

  private init(_ name: String, remedy: String? = nil, isCertain: Bool = true) {
    self.name = name
    self.remedy = remedy
    self.isCertain = isCertain
  }

  /// An object without a member `log`, or no object at all.
  static let jsonWithoutLog = ForeignContent("a JSON document without a log")

  /// - Parameter start: the first `signatureSize` bytes of the file, or all that it has. `nil` when it may be a HAR.
  init?(startingWith start: Span<UInt8>) {
    let bytes = start.extracting(first: min(start.count, Self.signatureSize)).indices.map { start[$0] }
    guard let found = Self.bySignature(bytes) ?? Self.byText(bytes) else { return nil }
    self = found
  }

  private static func bySignature(_ bytes: [UInt8]) -> ForeignContent? {
    guard !bytes.isEmpty else { return ForeignContent("an empty file") }
    for (signature, offset, content) in signatures where bytes.dropFirst(offset).starts(with: signature) { return content }
    return nil
  }

  private static func byText(_ bytes: [UInt8]) -> ForeignContent? {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard let first = text.first(where: { !blanks.contains($0) }) else { return ForeignContent("a file of nothing but blanks") }
    let words = text.drop(while: blanks.contains)
    switch first {
    case UInt8(ascii: "{"): return nil
    case UInt8(ascii: "["):
      let next = words.dropFirst().first { !blanks.contains($0) }
      if let next, "{[\"]".utf8.contains(next) { return jsonWithoutLog }
    case UInt8(ascii: "<"): return markup(words)
    default: break
    }
    // Binary bytes may be damage, such as a hole in the file; a text file may be a HAR whose beginning is missing.
    let isText = bytes.allSatisfy { $0 >= Byte.space && $0 != Byte.delete || blanks.contains($0) || $0 == 0x1B }
    return isText ? ForeignContent("a text file", isCertain: false) : ForeignContent("a binary file", isCertain: false)
  }

  private static func markup(_ text: ArraySlice<UInt8>) -> ForeignContent {
    let small = String(decoding: text, as: UTF8.self).lowercased()
    return small.contains("<!doctype html") || small.contains("<html")
      ? ForeignContent("an HTML page") : ForeignContent("a document of XML or HTML")
  }

  private static let blanks = ByteSet(" \t\n\u{B}\u{C}\r")

  private static let signatures: [(signature: [UInt8], offset: Int, content: ForeignContent)] = {
    let utf16 = ForeignContent("a text in UTF-16", remedy: "make it UTF-8, as iconv -f UTF-16 -t UTF-8 does")
    let capture = ForeignContent("a pcap capture", remedy: "make a HAR of it by tapeline import pcap")
    func archive(_ name: String) -> ForeignContent { ForeignContent(name, remedy: "unpack it first") }
    return [
      ([0x89] + Array("PNG".utf8), 0, ForeignContent("a PNG image")),
      ([0xFF, 0xD8, 0xFF], 0, ForeignContent("a JPEG image")),
      (Array("GIF8".utf8), 0, ForeignContent("a GIF image")),
      (Array("WEBP".utf8), 8, ForeignContent("a WebP image")),
      (Array("%PDF-".utf8), 0, ForeignContent("a PDF document")),
      ([0xD4, 0xC3, 0xB2, 0xA1], 0, capture), ([0xA1, 0xB2, 0xC3, 0xD4], 0, capture),
      ([0x4D, 0x3C, 0xB2, 0xA1], 0, capture), ([0xA1, 0xB2, 0x3C, 0x4D], 0, capture), ([0x0A, 0x0D, 0x0D, 0x0A], 0, capture),
      (Array("PK\u{3}\u{4}".utf8), 0, archive("a ZIP archive")), (Array("PK\u{5}\u{6}".utf8), 0, archive("a ZIP archive")),
      (Array("ustar".utf8), 257, archive("a tar archive")),
      (Array("BZh".utf8), 0, archive("a bzip2 file")),
      ([0xFD] + Array("7zXZ\0".utf8), 0, archive("an xz file")),
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], 0, archive("a 7z archive")),
      ([0x04, 0x22, 0x4D, 0x18], 0, archive("an LZ4 file")),
      ([0x1F, 0x8B], 0, archive("a gzip file")),
      ([0x28, 0xB5, 0x2F, 0xFD], 0, archive("a zstd file")),
      ([0x7F] + Array("ELF".utf8), 0, ForeignContent("a program")),
      (Array("#!".utf8), 0, ForeignContent("a script")),
      (Array("SQLite format 3\0".utf8), 0, ForeignContent("an SQLite database")),
      ([0xFF, 0xFE], 0, utf16), ([0xFE, 0xFF], 0, utf16), ([0x7B, 0x00], 0, utf16), ([0x00, 0x7B], 0, utf16),
    ]
  }()
}
