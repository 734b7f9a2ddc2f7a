package import TapelineHAR
internal import TapelineBase

/// A recorded body for people: JSON laid out, text as it is, or the first bytes of anything else.
package struct BodyText {
  private let body: LoggedBody
  private let mediaType: String
  private let palette: Palette
  private let limit: Int

  /// The most characters of a line that are shown.
  private static let lineWidth = 1_000
  private static let hexBytes = 128

  /// - Parameter limit: the maximum number of lines.
  package init(request: HARRequest, palette: Palette, limit: Int) {
    self.init(LoggedBody(request: request), type: request.postData?.mimeType ?? "", palette: palette, limit: limit)
  }

  package init(response: HARResponse, palette: Palette, limit: Int) {
    self.init(LoggedBody(response: response), type: response.content.mimeType, palette: palette, limit: limit)
  }

  private init(_ body: LoggedBody, type: String, palette: Palette, limit: Int) {
    self.body = body
    mediaType = MediaType(type).essence
    self.palette = palette
    self.limit = limit
  }

  /// Empty when there was no body.
  package var lines: [String] {
    switch body {
    case .empty: []
    case .notRecorded(let size): [note("\(ByteCountText.long(size)) that were not recorded")]
    case .inFile(let name): [note("in \(name.printable), which is not there or not what it was")]
    case .damaged: [note("the log says base64, but it is not")]
    case .bytes(let bytes): lines(of: bytes)
    }
  }

  private func lines(of bytes: [UInt8]) -> [String] {
    guard let text = String(validating: bytes, as: UTF8.self), !isBinary(text) else {
      return HexDump.lines(of: bytes, limit: Self.hexBytes, palette: palette)
    }
    if let value = json(bytes) {
      let lines = JSONLayout.lines(of: value, palette: palette, limit: limit + 1)
      return lines.count <= limit ? lines : lines.prefix(limit) + [note("… and more; --body prints all")]
    }
    var all = text.printableLines.split(separator: "\n", omittingEmptySubsequences: false)
    if all.last?.isEmpty == true { all.removeLast() }
    let shown = all.prefix(limit).map { $0.count > Self.lineWidth ? $0.prefix(Self.lineWidth) + "…" : String($0) }
    guard all.count > limit else { return shown }
    return shown + [note("… \(all.count - limit) more lines; --body prints all")]
  }

  /// A media type may be wrong, but text never contains a NUL.
  private func isBinary(_ text: String) -> Bool {
    text.utf8.contains(0)
  }

  /// ws (RFC 8259 2).
  private static let jsonBlanks = ByteSet(" \t\n\r")

  /// The value of a body that is valid JSON and is declared or looks like JSON.
  private func json(_ bytes: [UInt8]) -> HARValue? {
    let isNamed = mediaType.hasSuffix("json")
    let first = bytes.first { !Self.jsonBlanks.contains($0) }
    guard isNamed || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    do throws(HARReadError) {
      return try HARValue(json: bytes.span)
    } catch {
      // A truncated body or JSON lines: shown as text.
      return nil
    }
  }

  private func note(_ text: String) -> String {
    palette.apply(.dim, to: "(\(text))")
  }
}

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
    let text = bytes.map { (Byte.space..<Byte.delete).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    return palette.apply(.dim, to: Hexadecimal.text(of: UInt(start), digits: 4)) + "  " + figures + "  " + text
  }
}

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
