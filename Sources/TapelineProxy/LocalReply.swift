internal import TapelineHTTP

/// An answer of the proxy itself: an error page, or a page about the proxy.
struct LocalReply {
  let status: Int
  /// Plain text for a person.
  let text: String
  /// The RFC 9209 error type, for the `Proxy-Status` field; `nil` when nothing failed.
  let proxyError: String?

  /// Appends the reply. `persist` says whether the connection goes on after it; `hasBody` is false for HEAD.
  func append(version: HTTPVersion, persist: Bool, hasBody: Bool, date: String, into output: inout [UInt8]) {
    let body = Array((text + "\n").utf8)
    output.append(contentsOf: "HTTP/1.1 \(status) \(HTTPStatus.reasonPhrase(for: status))\r\nDate: \(date)\r\n".utf8)
    output.append(contentsOf: "Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.count)\r\n".utf8)
    if let proxyError {
      output.append(contentsOf: "Proxy-Status: tapeline; error=\(proxyError)\r\n".utf8)
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
