internal import TapelineBase

/// Values that single readers refuse, with their source.
extension EntryLint {
  /// Chrome converts numbers with `Number()`, and refuses the whole log for a value that is not a number. `null` passes for
  /// an object and fails later (HARFormat.ts).
  mutating func checkForDevTools() {
    if entry.custom[.initiator] == .null {
      entry.custom[.initiator] = nil
      report(.devtoolsInitiator, at: path[HARMember.initiator.name], "Chrome refuses the log for an initiator that is null")
    }
    if let messages = entry.custom[.webSocketMessages]?.array, messages.contains(.null) {
      entry.custom[.webSocketMessages] = .array(messages.filter { $0 != .null })
      report(.devtoolsMessages, at: path[HARMember.webSocketMessages.name], "Chrome refuses the log for a message that is null")
    }
    if !Self.isNumberForJavaScript(entry.response.custom[.transferSize]) {
      entry.response.custom[.transferSize] = nil
      report(
        .devtoolsNumber, at: path["response"][HARMember.transferSize.name],
        "Chrome refuses the log for a size that is not a number")
    }
    for name in HARMember.timesOfChrome
    where !Self.isNumberForJavaScript(entry.timings.custom[name]) {
      entry.timings.custom[name] = nil
      report(.devtoolsNumber, at: path["timings"][name], "Chrome refuses the log for a time that is not a number")
    }
  }

  private static func isNumberForJavaScript(_ value: HARValue?) -> Bool {
    switch value {
    case nil, .null, .bool, .number: true
    case .string(let text): HARNumber(text: text) != nil || text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object: false
    }
  }

  /// Playwright answers with the entry's status, takes −1 for an exchange that never ended, and compares the body of a POST by
  /// `text` and `encoding` (harRouter.ts, harBackend.ts).
  mutating func checkForPlaywright() {
    if entry.response.status == 0 {
      entry.response.status = -1
      report(.playwrightStatus, at: path["response"]["status"], "Playwright cannot answer with 0; it stalls the request for −1")
    }
    if entry.request.postData?.custom[.encoding] == "base64", entry.request.postData?.custom["encoding"] == nil {
      entry.request.postData?.custom["encoding"] = "base64"
      report(
        .playwrightPostData, at: path["request"]["postData"][HARMember.encoding.name],
        "Playwright compares this body only when encoding says base64")
    }
  }

  /// mitmproxy applies the response's coding again and undoes the request's; when it cannot, it stops reading (io/har.py).
  mutating func checkForMitmproxy() {
    if !URIText.hasHost(entry.request.url) {
      report(.mitmproxyURL, at: path["request"]["url"], "mitmproxy reads no URL without a host", isFixable: false)
    }
    let known: Set = ["", "none", "identity", "gzip", "deflate", "deflateraw", "br", "zstd"]
    if let coding = coding(entry.response.headers), !known.contains(coding) {
      removeCoding(\.response.headers)
      report(.mitmproxyCoding, at: path["response"]["headers"], "mitmproxy knows no content coding \"\(coding)\"")
    }
    if let coding = coding(entry.request.headers), coding != "identity", entry.request.postData?.text?.isEmpty == false {
      removeCoding(\.request.headers)
      report(
        .mitmproxyCoding, at: path["request"]["headers"],
        "mitmproxy undoes the content coding \"\(coding)\", which the text of the body does not have")
    }
  }

  private func coding(_ headers: [HARHeader]) -> String? {
    let lines = headers.filter { $0.name.isSameName(as: "content-encoding") }
    return lines.isEmpty ? nil : lines.map { $0.value.lowercased() }.joined(separator: ", ")
  }

  /// The body in the log is decoded, so the log is consistent without the line; the comment keeps the line's text.
  private mutating func removeCoding(_ headers: WritableKeyPath<HAREntry, [HARHeader]>) {
    let lines = entry[keyPath: headers].filter { $0.name.isSameName(as: "content-encoding") }
    entry[keyPath: headers].removeAll { $0.name.isSameName(as: "content-encoding") }
    let note = lines.map { "removed \($0.name): \($0.value)" }.joined(separator: "; ")
    entry.comment = entry.comment.map { $0 + "; " + note } ?? note
  }
}
