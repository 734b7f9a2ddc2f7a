package import TapelineHTTP
internal import TapelineBase

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

/// Reads the challenges of one field line (RFC 9110 11.2, 11.6.1).
///
/// A comma separates challenges as well as parameters: a token is a parameter's name when an equals sign follows, else the next
/// scheme.
struct ChallengeParser {
  private let bytes: [UInt8]
  private var index = 0

  init(_ value: String) {
    bytes = Array(value.utf8)
  }

  mutating func challenges() -> [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    skipSeparators()
    while let challenge = challenge() {
      found.append(challenge)
      skipSeparators()
    }
    return found
  }

  /// Parameters of a field that has no scheme, such as `Authentication-Info` (RFC 7615 3).
  mutating func parameters() -> [String: String] {
    var found: [String: String] = [:]
    skipSeparators()
    while let (name, value) = parameter() {
      // The first one counts, as no parameter may occur twice (RFC 9110 11.2).
      if found[name] == nil { found[name] = value }
      skipSeparators()
    }
    return found
  }

  private mutating func challenge() -> AuthenticationChallenge? {
    guard let scheme = token() else { return nil }
    guard skipBlanks() else { return AuthenticationChallenge(scheme: scheme) }
    if let token68 = token68() { return AuthenticationChallenge(scheme: scheme, token68: token68) }
    return AuthenticationChallenge(scheme: scheme, parameters: parameters())
  }

  /// `name = value`; takes nothing if the text is not a parameter.
  private mutating func parameter() -> (name: String, value: String)? {
    let start = index
    guard let name = token() else { return nil }
    skipBlanks()
    guard take(UInt8(ascii: "=")) else {
      index = start
      return nil
    }
    skipBlanks()
    guard let value = peek == UInt8(ascii: "\"") ? quotedString() : token() else {
      index = start
      return nil
    }
    return (name.lowercased(), value)
  }

  /// Credentials-like text that ends where the challenge ends; takes nothing if the text is not that.
  private mutating func token68() -> String? {
    let start = index
    while let byte = peek, ByteSet.token68.contains(byte) { index += 1 }
    let text = start..<index
    while peek == UInt8(ascii: "=") { index += 1 }
    let end = index
    skipBlanks()
    guard !text.isEmpty, peek == nil || peek == UInt8(ascii: ",") else {
      index = start
      return nil
    }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private mutating func token() -> String? {
    let start = index
    while let byte = peek, ByteSet.token.contains(byte) { index += 1 }
    return start == index ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// RFC 9110 5.6.4. A string without an end is not a quoted string.
  private mutating func quotedString() -> String? {
    var text: [UInt8] = []
    index += 1
    while let byte = peek {
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = peek else { return nil }
        text.append(escaped)
        index += 1
      default:
        text.append(byte)
      }
    }
    return nil
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    index += 1
    return true
  }

  /// Whether there were any blanks.
  @discardableResult
  private mutating func skipBlanks() -> Bool {
    let start = index
    while let byte = peek, Byte.isBlank(byte) { index += 1 }
    return index > start
  }

  /// Blanks and commas: any number of commas may separate members (RFC 9110 5.6.1.2).
  private mutating func skipSeparators() {
    repeat { skipBlanks() } while take(UInt8(ascii: ","))
  }
}
