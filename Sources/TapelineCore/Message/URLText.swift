internal import FoundationEssentials

/// The text of a URL cut where RFC 3986 3 cuts it, bytes as they are: what a request's target is made of.
struct URLText {
  /// In lower case; `nil` when the text has none.
  let scheme: String?
  /// Name and password as written, when the authority has any.
  let userinfo: String?
  /// Host and port as written; `nil` without `//`.
  let hostAndPort: String?
  /// Path and query as written, without the fragment.
  let pathAndQuery: String

  init(_ url: URL) {
    self.init(url.absoluteString)
  }

  init(_ text: String) {
    var rest = text.prefix { $0 != "#" }
    let schemeEnd = rest.firstIndex { ":/?".contains($0) }
    if let schemeEnd, rest[schemeEnd] == ":" {
      scheme = rest[..<schemeEnd].lowercased()
      rest = rest[rest.index(after: schemeEnd)...]
    } else {
      scheme = nil
    }
    guard rest.hasPrefix("//") else {
      userinfo = nil
      hostAndPort = nil
      pathAndQuery = String(rest)
      return
    }
    rest = rest.dropFirst(2)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    pathAndQuery = String(rest[authority.endIndex...])
    if let at = authority.lastIndex(of: "@") {
      userinfo = String(authority[..<at])
      hostAndPort = String(authority[authority.index(after: at)...])
    } else {
      userinfo = nil
      hostAndPort = String(authority)
    }
  }

  /// The URL without credentials and fragment: for people and logs.
  var sanitized: String {
    (scheme.map { $0 + ":" } ?? "") + (hostAndPort.map { "//" + $0 } ?? "") + pathAndQuery
  }
}
