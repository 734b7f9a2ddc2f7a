internal import TapelineText

/// How a space is written in a query.
public enum SpaceEncoding: Sendable, Hashable {
  /// `%20` (RFC 3986).
  case percentEscaped
  /// `+`, as forms write it.
  case plusReplaced
}

extension SpaceEncoding {
  /// `text`, percent-encoded except for the characters in `allowed`.
  func encode(_ text: String, allowed: AllowedCharacters) -> String {
    PercentEncoding.encode(text, keeping: allowed.bytes, isForm: self == .plusReplaced)
  }
}
