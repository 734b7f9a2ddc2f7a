/// How a space is written in a query.
public enum SpaceEncoding: Sendable, Hashable {
  /// `%20` (RFC 3986).
  case percentEscaped
  /// `+`, as forms write it.
  case plusReplaced
}

extension SpaceEncoding {
  /// `text`, percent-encoded but for `allowed`.
  func encode(_ text: String, allowed: AllowedCharacters) -> String {
    switch self {
    case .percentEscaped:
      return PercentEncoding.encode(text, allowed: allowed)
    case .plusReplaced:
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      return words.map { PercentEncoding.encode(String($0), allowed: allowed) }.joined(separator: "+")
    }
  }
}
