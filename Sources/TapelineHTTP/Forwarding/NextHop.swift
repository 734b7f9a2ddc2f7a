/// Who gets a request next, which decides how its target is written (RFC 9112 3.2).
package enum NextHop: Hashable, Sendable {
  /// The origin, if through a tunnel: origin-form.
  case origin
  /// Another proxy, which forwards: absolute-form, and the credentials that it wants.
  case proxy(authorization: String?)

  /// Whether a proxy is told who we are.
  package var isAuthorized: Bool {
    switch self {
    case .origin, .proxy(authorization: nil): false
    case .proxy: true
    }
  }

  /// Appends the target of `head`; `authority` is the origin's, for a target that does not name it.
  func appendTarget(of head: RequestHead, authority: @autoclosure () -> String, into output: inout [UInt8]) {
    switch self {
    case .origin: head.appendOriginForm(into: &output)
    case .proxy: head.appendAbsoluteForm(authority: authority(), into: &output)
    }
  }

  /// Appends the field that tells the proxy who we are.
  package func appendAuthorization(into output: inout [UInt8]) {
    switch self {
    case .origin, .proxy(authorization: nil): break
    case .proxy(let authorization?):
      HeadSerializer.appendField(name: FieldName.proxyAuthorization.spelling, value: authorization, into: &output)
    }
  }
}

extension RequestHead {
  /// Appends the target for a proxy (RFC 9112 3.2.2): what came, byte by byte, without userinfo and fragment, and with an authority
  /// where it had none. `OPTIONS *` has neither path nor query then (RFC 9112 3.2.4).
  func appendAbsoluteForm(authority: @autoclosure () -> String, into output: inout [UInt8]) {
    switch target {
    case .absolute(let absolute):
      absolute.appendSanitized(into: &output)
    case .asterisk:
      output.append(contentsOf: "http://\(authority())".utf8)
    case .authority:
      appendOriginForm(into: &output)
    case .origin:
      output.append(contentsOf: "http://\(authority())".utf8)
      appendOriginForm(into: &output)
    }
  }

  /// The same as text.
  package func absoluteForm(authority: @autoclosure () -> String) -> String {
    var bytes: [UInt8] = []
    appendAbsoluteForm(authority: authority(), into: &bytes)
    return String(bytes: bytes.span)
  }
}
