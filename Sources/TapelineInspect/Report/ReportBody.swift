internal import TapelineHAR

/// The part of a body that goes into a report.
struct ReportBody: Sendable, Hashable {
  /// As in the log: text, or base64.
  let text: String?
  /// Bytes of the log's text that are left out.
  let leftOut: Int

  var isCut: Bool { leftOut > 0 }

  /// - Parameters:
  ///   - text: as in the log.
  ///   - unread: the number of bytes after `text` in the log that were not read, because the reader already knows `limit`.
  ///   - limit: the maximum number of bytes of `text` to keep; `nil` for any number.
  init(_ text: String, unread: Int = 0, isBase64: Bool, bodies: ReportOptions.Bodies, limit: Int?) {
    let size = text.utf8.count + unread
    let isWanted =
      switch bodies {
      case .none: false
      case .text: !isBase64
      case .all: true
      }
    guard isWanted else {
      self.text = nil
      leftOut = size
      return
    }
    guard let limit, size > limit else {
      self.text = text
      leftOut = 0
      return
    }
    // A part of a picture is useful only for a look at its first bytes.
    let kept = isBase64 ? min(limit, Self.binaryHead) / 4 * 4 : limit
    let head = Self.head(of: text, bytes: kept)
    self.text = head.isEmpty ? nil : head
    leftOut = size - head.utf8.count
  }

  /// In base64: 1.5 KiB of bytes.
  private static let binaryHead = 2_048

  /// The longest prefix of whole characters within `bytes` bytes.
  private static func head(of text: String, bytes: Int) -> String {
    let utf8 = text.utf8
    var end = utf8.index(utf8.startIndex, offsetBy: bytes, limitedBy: utf8.endIndex) ?? utf8.endIndex
    while end > utf8.startIndex, end < utf8.endIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(text[..<end])
  }
}
