internal import TapelineBase
package import TapelineHAR

/// A recorded request in a form that can be sent again.
package struct RecordedRequest: Sendable {
  package let method: String
  package let url: String
  /// End-to-end fields only; fields that frame the body or name the host are set anew.
  package let fields: [ReplayAnswer.Field]
  package let body: [UInt8]
  /// Since 1970; `nil` when the log's date is not valid.
  package let startedNanoseconds: Int?
  /// The log does not have the whole body.
  package let isIncomplete: Bool
  /// A part of the request was redacted: a server that needs the secret will refuse it.
  package let isRedacted: Bool

  /// `nil` for a tunnel, for a WebSocket over HTTP/2, and for a request without an http or https URL.
  package init?(_ entry: HAREntry) {
    let request = entry.request
    guard request.method != "CONNECT", let url = RequestURL(request.url), url.scheme == "http" || url.scheme == "https" else {
      return nil
    }
    method = request.method
    self.url = String(request.url.prefix { $0 != "#" })
    let content = RequestPayload(request)
    let kept = request.headers.filter(Self.isKept).flatMap { header in
      content.value(of: header).map { ReplayAnswer.wireFields(of: HARHeader(name: header.name, value: $0)) } ?? []
    }
    fields = RecordedVersion(request.httpVersion).number ?? 0 >= 2 ? Self.joiningCrumbs(kept) : kept
    switch content.body {
    case .bytes(let bytes): (body, isIncomplete) = (bytes, bytes.count < request.bodySize)
    case .empty: (body, isIncomplete) = ([], false)
    case .notRecorded, .inFile, .damaged: (body, isIncomplete) = ([], true)
    }
    startedNanoseconds = unixNanoseconds(ofDate: entry.startedDateTime)
    let texts = [request.url, request.bodyText ?? ""] + request.headers.map(\.value)
    isRedacted = texts.contains { $0.contains(Self.redactionMark) }
  }

  /// A call needs `te: trailers`, which says nothing of the connection (RFC 9110 10.1.4).
  private static func isKept(_ header: HARHeader) -> Bool {
    let name = header.name.lowercased()
    return !replacedNames.contains(name) || name == "te" && header.value.lowercased() == "trailers"
  }

  /// HTTP/2 may divide cookies into several lines, and HTTP/1.1 has one (RFC 9113 8.2.3).
  private static func joiningCrumbs(_ fields: [ReplayAnswer.Field]) -> [ReplayAnswer.Field] {
    let crumbs = fields.filter { $0.name.isSameName(as: "cookie") }
    guard crumbs.count > 1, let first = fields.firstIndex(where: { $0.name.isSameName(as: "cookie") }) else { return fields }
    var joined = fields.filter { $0.name.lowercased() != "cookie" }
    joined.insert(ReplayAnswer.Field(name: crumbs[0].name, value: crumbs.map(\.value).joined(separator: "; ")), at: first)
    return joined
  }

  /// The prefix of redacted values.
  private static let redactionMark = "SENSITIVE_"

  private static let replacedNames: Set<String> = [
    "host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "transfer-encoding", "te", "trailer",
    "upgrade",
    "content-length", "expect", "via",
  ]
}
