internal import TapelineHAR

/// An exchange as a report holds it: without its bodies, which are separate so that a page is read quickly.
struct ReportEntry: Sendable, Hashable {
  let number: Int
  let entry: HAREntry
  let requestBody: ReportBody?
  let responseBody: ReportBody?
  /// The events of a stream, as far as its body is in the report.
  let events: [StreamEvent]
  /// The text that the events of a model's answer make together; empty where the report has not all of them.
  let answer: String
  let meaning: ReportRow.Meaning

  /// - Parameter bodyLimit: the maximum number of bytes of a body's text to keep; `nil` for any number.
  init(_ entry: HAREntry, number: Int, bodies: ReportOptions.Bodies, bodyLimit: Int?) {
    var entry = entry
    self.number = number
    meaning = ReportRow.Meaning(entry)
    let content = entry.response.content
    responseBody = content.text.map {
      ReportBody(
        $0, unread: content.unreadText, isBase64: content.encoding?.lowercased() == "base64", bodies: bodies, limit: bodyLimit)
    }
    let eventsEnd = responseBody?.text?.utf8.count ?? 0
    events = (meaning.stream?.events ?? []).filter { $0.end <= eventsEnd }
    answer = !events.isEmpty && events.count == meaning.stream?.events.count ? meaning.answer : ""
    (entry.response.content.text, entry.response.content.unreadText) = (nil, 0)
    let request = entry.request
    requestBody = request.postData.flatMap { data in
      request.bodyText.map {
        ReportBody($0, unread: data.unreadText, isBase64: data.isBase64, bodies: bodies, limit: bodyLimit)
      }
    }
    if request.postData?.isBase64 == true { entry.request.postData?.custom[.encoding] = "base64" }
    entry.request.postData?.text = nil
    entry.request.postData?.unreadText = 0
    if bodies == .none {
      entry.request.postData?.params = nil
      entry.custom[.webSocketMessages] = nil
    }
    self.entry = entry
  }

  /// The number of bodies with a part left out.
  var cutCount: Int {
    (requestBody?.isCut == true ? 1 : 0) + (responseBody?.isCut == true ? 1 : 0)
  }
}

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
