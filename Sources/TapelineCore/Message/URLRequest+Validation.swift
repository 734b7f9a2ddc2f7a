internal import FoundationEssentials
internal import TapelineHTTP
internal import TapelineText

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

  /// The head as it is sent, in absolute-form without credentials and fragment; checks everything that `validate()` checks except
  /// the body.
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
      throw Self.refusal(of: error, target: self.target)
    }
  }

  private func absoluteTarget() throws(TapelineError) -> String {
    guard let url else { throw .urlRequestValidationFailed(reason: .missingURL) }
    let text = URIReference(url.absoluteString)
    guard let scheme = text.scheme, scheme == "http" || scheme == "https" else {
      throw .urlRequestValidationFailed(reason: .unsupportedScheme(text.scheme))
    }
    guard let authority = text.hostAndPort, !authority.isEmpty, !authority.contains("%") else {
      throw .urlRequestValidationFailed(reason: .invalidHost)
    }
    let origin = "\(scheme)://\(authority)"
    guard let target else { return origin + text.pathAndQuery }
    // The absolute form of `*` ends with the authority (RFC 9112 3.2.4).
    if target == "*", method == .options { return origin }
    guard target.hasPrefix("/"), !target.contains("#") else { throw .urlRequestValidationFailed(reason: .invalidTarget) }
    return origin + target
  }

  private static func refusal(of error: HTTPParseError, target: String?) -> TapelineError {
    switch error.kind {
    case .invalidTarget where target == nil, .invalidHost, .severalHosts:
      .urlRequestValidationFailed(reason: .invalidHost)
    case .invalidTarget:
      .urlRequestValidationFailed(reason: .invalidTarget)
    default:
      .createURLRequestFailed(error: error)
    }
  }
}
