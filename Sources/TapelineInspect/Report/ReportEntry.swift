internal import TapelineHAR

/// An exchange as a report holds it: without its bodies, which are separate so that a page is read quickly.
struct ReportEntry: Sendable, Hashable {
  let number: Int
  let entry: HAREntry
  let requestBody: ReportBody?
  let responseBody: ReportBody?
  /// The events of an event stream, as far as its body is in the report.
  let events: [RecordedEvents.Event]

  /// - Parameter bodyLimit: the maximum number of bytes of a body's text to keep; `nil` for any number.
  init(_ entry: HAREntry, number: Int, bodies: ReportOptions.Bodies, bodyLimit: Int?) {
    var entry = entry
    self.number = number
    let content = entry.response.content
    responseBody = content.text.map {
      ReportBody(
        $0, unread: content.unreadText, isBase64: isBase64(content.encoding), bodies: bodies, limit: bodyLimit)
    }
    let eventsEnd = responseBody?.text?.utf8.count ?? 0
    events = eventsEnd == 0 ? [] : (RecordedEvents(entry)?.events ?? []).filter { $0.event.end <= eventsEnd }
    (entry.response.content.text, entry.response.content.unreadText) = (nil, 0)
    requestBody = entry.request.postData.flatMap { data in
      data.text.map {
        ReportBody(
          $0, unread: data.unreadText, isBase64: isBase64(data.custom["_encoding"]?.string), bodies: bodies, limit: bodyLimit)
      }
    }
    entry.request.postData?.text = nil
    entry.request.postData?.unreadText = 0
    if bodies == .none {
      entry.request.postData?.params = nil
      entry.custom["_webSocketMessages"] = nil
    }
    self.entry = entry
  }

  /// The number of bodies with a part left out.
  var cutCount: Int {
    (requestBody?.isCut == true ? 1 : 0) + (responseBody?.isCut == true ? 1 : 0)
  }
}

private func isBase64(_ encoding: String?) -> Bool {
  encoding?.lowercased() == "base64"
}
