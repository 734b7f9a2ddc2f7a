internal import TapelineDigest
internal import TapelineHTTP
internal import TapelineText

/// An answer of the proxy itself: an error page, or a page about the proxy.
struct LocalReply {
  let status: Int
  let body: [UInt8]
  let mediaType: String
  /// For the `Proxy-Status` field; `nil` when nothing failed.
  let proxyError: ProxyErrorType?
  /// The status that another proxy answered, for the same field (RFC 9209 2.1.4).
  let receivedStatus: Int?
  /// Field lines beside those of every reply.
  var fields: [(name: String, value: String)] = []

  /// A line or more for a person.
  init(status: Int, text: String, proxyError: ProxyErrorType?, receivedStatus: Int? = nil) {
    self.status = status
    body = Array((text + "\n").utf8)
    mediaType = "text/plain; charset=utf-8"
    self.proxyError = proxyError
    self.receivedStatus = receivedStatus
  }

  /// A page that was asked for. It is only for the client that asked, and only for now: browsers neither keep it, nor guess its
  /// type, nor show it inside other sites' pages.
  ///
  /// - Parameter style: the one style sheet in the page, if there is one.
  init(page body: [UInt8], mediaType: String, style: String? = nil) {
    let source = style.map { " style-src 'sha256-\(Base64.encode(MessageDigest.sha256.digest(of: Array($0.utf8).span)))';" } ?? ""
    status = 200
    self.body = body
    self.mediaType = mediaType
    proxyError = nil
    receivedStatus = nil
    fields = [
      ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      ("Content-Security-Policy", "default-src 'none';\(source) frame-ancestors 'none'"), ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
  }

  /// Appends the reply. `persist` says whether the connection goes on after it; `hasBody` is false for HEAD.
  func append(version: HTTPVersion, persist: Bool, hasBody: Bool, date: String, into output: inout [UInt8]) {
    output.append(contentsOf: "HTTP/1.1 \(status) \(HTTPStatus.reasonPhrase(for: status))\r\nDate: \(date)\r\n".utf8)
    output.append(contentsOf: "Content-Type: \(mediaType)\r\nContent-Length: \(body.count)\r\n".utf8)
    for (name, value) in fields {
      output.append(contentsOf: "\(name): \(value)\r\n".utf8)
    }
    if let proxyError {
      let received = receivedStatus.map { "; received-status=\($0)" } ?? ""
      output.append(contentsOf: "Proxy-Status: tapeline; error=\(proxyError.rawValue)\(received)\r\n".utf8)
    }
    if !persist {
      output.append(contentsOf: "Connection: close\r\n".utf8)
    } else if version < .http11 {
      output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
    }
    output.append(contentsOf: "\r\n".utf8)
    if hasBody { output.append(contentsOf: body) }
  }
}
