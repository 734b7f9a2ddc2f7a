package import TapelineHAR
internal import TapelineBase

/// The bytes of a body as far as a log has them.
package enum LoggedBody: Sendable, Hashable {
  case bytes([UInt8])
  /// There was no body.
  case empty
  /// There was a body, but the log does not have it.
  case notRecorded(size: Int)
  /// The log has the body in this file, which was not read: the file is missing or has changed.
  case inFile(String)
  /// The log says that the body is base64, but it is not.
  case damaged

  /// The body without its content codings.
  package init(response: HARResponse) {
    let content = response.content
    self.init(
      text: content.text, isBase64: content.encoding?.lowercased() == "base64", size: max(content.size, response.bodySize),
      file: content.custom[.file]?.string)
    if content.unreadText == 0 { decode(response.headers, wireSize: response.bodySize) }
  }

  /// The body without its content codings, however the log spells it.
  package init(request: HARRequest) {
    self.init(coded: request)
    if request.postData?.unreadText == 0 { decode(request.headers, wireSize: request.bodySize) }
  }

  /// The body as the log has it.
  private init(coded request: HARRequest) {
    let data = request.postData
    self.init(
      text: request.bodyText, isBase64: data?.isBase64 == true, size: request.bodySize, file: data?.custom[.file]?.string)
  }

  private init(text: String?, isBase64: Bool, size: Int, file: String?) {
    guard let text, !text.isEmpty else {
      self = file.map(LoggedBody.inFile) ?? (size > 0 ? .notRecorded(size: size) : .empty)
      return
    }
    guard isBase64 else {
      self = .bytes(CodedContent.bytes(ofNarrow: text) ?? Array(text.utf8))
      return
    }
    self = Base64.decode(text).map(LoggedBody.bytes) ?? .damaged
  }

  private mutating func decode(_ headers: [HARHeader], wireSize: Int) {
    guard case .bytes(let bytes) = self else { return }
    self = .bytes(CodedContent.decoded(bytes, of: headers, wireSize: wireSize) ?? bytes)
  }

  /// The body of a request, if the log has it with its content codings.
  package static func coded(_ request: HARRequest) -> LoggedBody? {
    let coded = LoggedBody(coded: request)
    return coded == LoggedBody(request: request) ? nil : coded
  }
}

/// Why a tunnel in a log was not read.
struct UnreadTunnel {
  /// The log's word for it.
  let reason: String

  /// `nil` if the entry is not an unread tunnel.
  init?(_ entry: HAREntry) {
    guard let reason = entry.custom[.tunnel]?["unread"]?.string, !reason.isEmpty else { return nil }
    self.reason = reason
  }

  var sentence: String {
    switch reason {
    case "pinned": "the client refuses our certificate"
    case "own-authority": "the client trusts other authorities than ours"
    case "h2-only": "the client offers no protocol that is decrypted"
    case "client-certificate": "the server asks for a certificate that only its client has"
    case "unserved-hello": "the client's hello allows no certificate that tapeline has"
    case "malformed-hello": "the client's TLS hello is malformed"
    case "not-tls": "what passed was neither TLS nor HTTP"
    case "stream-tunnel": "it was a stream of an HTTP/2 connection"
    case "passed-through": "the host was to be left alone"
    case "server-tls-failed": "tapeline's own TLS with the server failed"
    case "not-intercepted": "nothing was decrypted in this recording"
    case let other: other.printable
    }
  }
}
