internal import FoundationEssentials
package import TapelineHTTP
internal import TapelineText
package import TapelineTransport

extension URLRequest {
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
