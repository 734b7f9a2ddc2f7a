package import TapelineHTTP

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 11.6.1).
package struct AuthenticationChallenge: Hashable, Sendable {
  /// In lower case.
  package let scheme: String
  /// Instead of parameters, where the scheme defines it.
  package let token68: String?
  private let parameters: [String: String]

  init(scheme: String, token68: String? = nil, parameters: [String: String] = [:]) {
    self.scheme = scheme.lowercased()
    self.token68 = token68
    self.parameters = parameters
  }

  /// A parameter, without its quotes. Names are not case-sensitive.
  package subscript(name: String) -> String? { parameters[name] }

  /// The name of the protection space (RFC 9110 11.5).
  package var realm: String? { parameters["realm"] }

  /// Whether the challenges come from the origin or from a proxy.
  package enum Asker: Hashable, Sendable {
    case origin
    case proxy

    var fieldName: FieldName {
      switch self {
      case .origin: .wwwAuthenticate
      case .proxy: .proxyAuthenticate
      }
    }
  }

  /// Every challenge in the fields, in order. An unreadable challenge ends its field line: the meaning of the text after it is
  /// not certain.
  package static func challenges(in fields: HeaderFields, from asker: Asker) -> [AuthenticationChallenge] {
    fields.values(of: asker.fieldName).flatMap { value in
      var parser = ChallengeParser(value)
      return parser.challenges()
    }
  }
}
