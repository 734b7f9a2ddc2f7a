internal import FoundationEssentials
package import TapelineHTTP
internal import TapelineBase
package import TapelineTransport

extension URLRequest {
  /// Throws unless the request may be sent. A session calls this before it sends, and again after each adapter.
  ///
  /// Refuses a GET with a body, whose meaning is undefined (RFC 9110 9.3.1), and anything that would not be one well-formed
  /// message: a method that is not a token, a field with a line end in it, a URL that is not `http` or `https`.
  public func validate() throws(TapelineError) {
    if method == .get, let httpBody {
      throw .urlRequestValidationFailed(reason: .bodyDataInGETRequest(httpBody))
    }
    _ = try head()
  }

  /// The head as it is sent, in absolute-form without credentials and fragment; checks everything that `validate()` checks
  /// except the body.
  func head() throws(TapelineError) -> RequestHead {
    // A tunnel is not a request with a URL: use a stream request.
    guard method.isToken, method != .connect else {
      throw .urlRequestValidationFailed(reason: .invalidMethod(method.rawValue))
    }
    if let header = headers.first(where: { !$0.isSendable }) {
      throw .urlRequestValidationFailed(reason: .invalidHeader(name: header.name))
    }
    let target = try absoluteTarget()
    var fields = headers
    // The transport decides how the body is framed.
    if fields.contains(name: "Content-Length") { fields.remove(name: "Content-Length") }
    if fields.contains(name: "Transfer-Encoding") { fields.remove(name: "Transfer-Encoding") }
    do {
      return try RequestHead(method: method, target: target, fields: fields.fields)
    } catch {
      throw refusal(of: error)
    }
  }

  private func absoluteTarget() throws(TapelineError) -> String {
    guard let url else { throw .urlRequestValidationFailed(reason: .missingURL) }
    let text = URIReference(url.absoluteString)
    guard let scheme = text.scheme, scheme == "http" || scheme == "https" else {
      throw .urlRequestValidationFailed(reason: .unsupportedScheme(text.scheme, in: url))
    }
    guard let authority = text.hostAndPort, !authority.isEmpty, !authority.contains("%") else {
      throw .urlRequestValidationFailed(reason: .invalidHost(in: url))
    }
    let origin = "\(scheme)://\(authority)"
    guard let target else { return origin + text.pathAndQuery }
    // The absolute form of `*` ends with the authority (RFC 9112 3.2.4).
    if target == "*", method == .options { return origin }
    guard target.hasPrefix("/"), !target.contains("#") else { throw .urlRequestValidationFailed(reason: .invalidTarget) }
    return origin + target
  }

  private func refusal(of error: HTTPParseError) -> TapelineError {
    guard let url else { return .urlRequestValidationFailed(reason: .missingURL) }
    return switch error.kind {
    case .invalidTarget where target == nil, .invalidHost, .severalHosts:
      .urlRequestValidationFailed(reason: .invalidHost(in: url))
    case .invalidTarget:
      .urlRequestValidationFailed(reason: .invalidTarget)
    default:
      .createURLRequestFailed(error: error)
    }
  }

  // MARK: On the wire

  /// The request as it goes on the wire. Refuses everything that `validate()` refuses, except a body in a GET: such a body is
  /// framed like any other, and whether it may be sent is decided elsewhere.
  ///
  /// - Parameter framing: the framing of the body that will be pulled; `nil` for the body in memory.
  package func outgoing(framing: BodyFraming? = nil) throws(TapelineError) -> OutgoingRequest {
    let head = try head()
    return OutgoingRequest(
      head: head, framing: framing ?? ownFraming, route: try Self.route(of: head), sender: .ourselves)
  }

  /// Where the request goes.
  package func route() throws(TapelineError) -> Route {
    try Self.route(of: head())
  }

  private static func route(of head: RequestHead) throws(TapelineError) -> Route {
    guard case .absolute(let target) = head.target else {
      throw .urlRequestValidationFailed(reason: .invalidTarget)
    }
    return Route(
      host: target.host, port: target.port, security: target.scheme == .https ? .tls(serverName: target.host) : .none)
  }

  /// If the method expects content, a length is sent even without a body (RFC 9110 8.6).
  private var ownFraming: BodyFraming {
    if let httpBody { return .length(UInt64(httpBody.count)) }
    let expectsContent = method == .post || method == .put || method == .patch
    return expectsContent ? .length(0) : .none
  }

  /// The name and password in the URL, decoded. They are never sent in the target.
  package var urlCredential: (user: String, password: String)? {
    guard let url, let userinfo = URIReference(url.absoluteString).userinfo else { return nil }
    let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    func decoded(_ part: Substring) -> String { String(decoding: PercentEncoding.decode(part), as: UTF8.self) }
    return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
  }
}

extension RequestHead {
  /// The target as a person writes it: without credentials and fragment, and absolute if the connection implies the origin.
  package func urlText(implied: ImpliedOrigin? = nil) -> String {
    switch (target, implied) {
    case (.authority(let host, let port), _): Authority.text(host: host, port: port)
    // The host in the request is only the client's claim; where the connection leads is known.
    case (.absolute, let implied?), (.origin, let implied?), (.asterisk, let implied?):
      "\(implied.scheme.text)://\(implied.authority)\(originForm)"
    case (.absolute(let absolute), nil): absolute.sanitizedText
    case (.origin, nil), (.asterisk, nil): targetText
    }
  }

  /// Path and query, as they go to the origin.
  var originFormText: String {
    var bytes: [UInt8] = []
    appendOriginForm(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path and query; nothing for `*`, which is not a path.
  private var originForm: String {
    if case .asterisk = target { return "" }
    // It is also `*` for OPTIONS without a path.
    return originFormText == "*" ? "" : originFormText
  }
}

/// Where a request without an absolute target goes, by the connection on which it came (RFC 9112 3.3).
package struct ImpliedOrigin: Sendable, Hashable {
  package let scheme: URIScheme
  /// Host and, unless it is the scheme's default, port, as in a URL.
  package let authority: String

  package init(scheme: URIScheme, authority: String) {
    self.scheme = scheme
    self.authority = authority
  }
}
