/// The recipient of a forwarded request, which decides how the target is written (RFC 9112 3.2).
package enum NextHop: Hashable, Sendable {
  /// The origin, even if through a tunnel: origin-form.
  case origin
  /// Another proxy, which forwards: absolute-form, and the credentials that the proxy wants.
  case proxy(authorization: String?)

  /// Whether we send credentials to a proxy.
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

  /// Appends the field with our credentials for the proxy.
  package func appendAuthorization(into output: inout [UInt8]) {
    switch self {
    case .origin, .proxy(authorization: nil): break
    case .proxy(let authorization?):
      HeadSerializer.appendField(name: FieldName.proxyAuthorization.spelling, value: authorization, into: &output)
    }
  }
}

extension RequestHead {
  /// Appends the target for a proxy (RFC 9112 3.2.2): byte by byte as it came, without userinfo and fragment, and with an
  /// authority if it had none. `OPTIONS *` then has neither path nor query (RFC 9112 3.2.4).
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
