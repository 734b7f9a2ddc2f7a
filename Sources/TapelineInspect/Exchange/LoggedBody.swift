package import TapelineHAR
internal import TapelineText

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

  package init(response: HARResponse) {
    let content = response.content
    self.init(
      text: content.text, encoding: content.encoding, size: max(content.size, response.bodySize),
      file: content.custom["_file"]?.string)
  }

  package init(request: HARRequest) {
    let data = request.postData
    self.init(
      text: data?.text, encoding: data?.custom["_encoding"]?.string, size: request.bodySize, file: data?.custom["_file"]?.string)
  }

  private init(text: String?, encoding: String?, size: Int, file: String?) {
    guard let text, !text.isEmpty else {
      self = file.map(LoggedBody.inFile) ?? (size > 0 ? .notRecorded(size: size) : .empty)
      return
    }
    guard encoding?.lowercased() == "base64" else {
      self = .bytes(Array(text.utf8))
      return
    }
    self = Base64.decode(text).map(LoggedBody.bytes) ?? .damaged
  }
}

/// Why a tunnel in a log was not read.
struct UnreadTunnel {
  /// The log's word for it.
  let reason: String

  /// `nil` if the entry is not an unread tunnel.
  init?(_ entry: HAREntry) {
    guard let reason = entry.custom["_tunnel"]?["unread"]?.string, !reason.isEmpty else { return nil }
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
