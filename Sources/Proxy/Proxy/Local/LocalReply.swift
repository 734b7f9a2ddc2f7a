internal import TapelineDigest
internal import TapelineHTTP
internal import TapelineBase

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

  /// A line or more for a person. Nobody takes it for something else that it quotes.
  init(status: Int, text: String, proxyError: ProxyErrorType?, receivedStatus: Int? = nil) {
    self.status = status
    body = Array((text + "\n").utf8)
    mediaType = "text/plain; charset=utf-8"
    self.proxyError = proxyError
    self.receivedStatus = receivedStatus
    fields = [Self.declaredType]
  }

  /// An answer in place of a server's, as a rule wants it.
  init(status: Int, content: [UInt8], mediaType: String, fields: [(name: String, value: String)]) {
    self.status = status
    body = content
    self.mediaType = mediaType
    proxyError = nil
    receivedStatus = nil
    self.fields = fields
  }

  /// Browsers do not guess another type (Fetch, "3.6 X-Content-Type-Options").
  private static let declaredType = ("X-Content-Type-Options", "nosniff")

  /// A page that was asked for. It is only for the client that asked, and only for now: browsers neither keep it, nor guess its
  /// type, nor show it inside other sites' pages, nor let pages that open it reach into it, nor tell others its address.
  ///
  /// - Parameter style: the one style sheet in the page, if there is one.
  init(page body: [UInt8], mediaType: String, style: String? = nil) {
    let source = style.map { " style-src 'sha256-\(Base64.encode(MessageDigest.sha256.digest(of: Array($0.utf8).span)))';" } ?? ""
    self.init(page: body, mediaType: mediaType, policy: "default-src 'none';\(source)")
  }

  /// - Parameter policy: the page's own part of its policy (CSP 3), which ends with a semicolon.
  init(page body: [UInt8], mediaType: String, policy: String) {
    status = 200
    self.body = body
    self.mediaType = mediaType
    proxyError = nil
    receivedStatus = nil
    fields = [
      ("Cache-Control", "no-store"), Self.declaredType,
      ("Content-Security-Policy", "\(policy) frame-ancestors 'none'"), ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      // Its address may have a key in it.
      ("Referrer-Policy", "no-referrer"),
    ]
  }

  /// The field lines of the reply, but for those that depend on the client's version of HTTP, and `Date`.
  var headFields: [(name: String, value: String)] {
    var lines = [("Content-Type", mediaType), ("Content-Length", "\(body.count)")] + fields
    if let proxyError {
      let received = receivedStatus.map { "; received-status=\($0)" } ?? ""
      lines.append(("Proxy-Status", "tapeline; error=\(proxyError.rawValue)\(received)"))
    }
    return lines
  }
}

/// Answers a TRACE or OPTIONS request that asked to be forwarded no further (RFC 9110 7.6.2): we are its recipient.
enum FinalRecipient {
  /// `nil` when the request is to be forwarded.
  static func reply(to head: RequestHead) -> LocalReply? {
    guard head.maxForwards == 0 else { return nil }
    return head.method == .trace ? reflection(of: head) : options
  }

  /// The request as it was received, without the fields that must not be shown (RFC 9110 9.3.8).
  private static func reflection(of head: RequestHead) -> LocalReply {
    var message: [UInt8] = []
    let target = if case .absolute(let absolute) = head.target { absolute.sanitizedText } else { head.targetText }
    message.append(contentsOf: "\(head.method.rawValue) \(target) \(head.version.text)\r\n".utf8)
    for index in head.fields.indices where !hides(head.fields.knownName(at: index)) {
      HeadSerializer.appendField(head.fields, at: index, into: &message)
    }
    HeadSerializer.appendEnd(into: &message)
    return LocalReply(page: message, mediaType: "message/http")
  }

  private static func hides(_ name: FieldName) -> Bool {
    name == .authorization || name == .proxyAuthorization || name == .cookie
  }

  private static var options: LocalReply {
    var reply = LocalReply(page: [], mediaType: "text/plain; charset=utf-8")
    reply.fields.append(("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS, TRACE, CONNECT"))
    return reply
  }
}
