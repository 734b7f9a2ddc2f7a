package import TapelineHAR

/// The body of a recorded request as it can be sent again, and the header lines that say something else than the body is.
package struct RequestPayload: Sendable {
  /// Coded if the log has it so.
  package let body: LoggedBody
  /// Whether the header names content codings that the body does not have any more.
  package let isDecoded: Bool
  /// Whether the log has it as text, in UTF-8 whatever it was.
  private let isText: Bool

  package init(_ request: HARRequest) {
    let data = request.postData
    let coded = LoggedBody.coded(request)
    body = coded ?? LoggedBody(request: request)
    isText = data?.isBase64 == false && coded == nil
    isDecoded =
      switch body {
      case .bytes:
        coded == nil && data?.custom[.decodeError] == nil && CodedContent.isNamed(in: request.headers)
      case .empty, .notRecorded, .inFile, .damaged: false
      }
  }

  /// The header's value for this body; `nil` if the line would be wrong.
  package func value(of header: HARHeader) -> String? {
    switch header.name.lowercased() {
    case "content-encoding" where isDecoded: nil
    case "content-type" where isText && body.isWide: ReplayAnswer.utf8(header.value)
    default: header.value
    }
  }
}

extension LoggedBody {
  /// Whether a text in another encoding than UTF-8 would have other bytes.
  fileprivate var isWide: Bool {
    switch self {
    case .bytes(let bytes): bytes.contains { $0 >= 0x80 }
    case .empty, .notRecorded, .inFile, .damaged: false
    }
  }
}
