package import TapelineHAR
internal import TapelineText

/// A recorded body for people: JSON laid out, text as it is, or the first bytes of anything else.
package struct BodyText {
  private let body: RecordedBody
  private let mediaType: String
  private let palette: Palette
  private let limit: Int

  /// The most characters of a line that are shown.
  private static let lineWidth = 1_000
  private static let hexBytes = 128

  /// - Parameter limit: the maximum number of lines.
  package init(request: HARRequest, palette: Palette, limit: Int) {
    self.init(RecordedBody(request: request), type: request.postData?.mimeType ?? "", palette: palette, limit: limit)
  }

  package init(response: HARResponse, palette: Palette, limit: Int) {
    self.init(RecordedBody(response: response), type: response.content.mimeType, palette: palette, limit: limit)
  }

  private init(_ body: RecordedBody, type: String, palette: Palette, limit: Int) {
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

  /// The value of a body that is valid JSON and is declared or looks like JSON.
  private func json(_ bytes: [UInt8]) -> HARValue? {
    let isNamed = mediaType.hasSuffix("/json") || mediaType.hasSuffix("+json")
    let first = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
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
