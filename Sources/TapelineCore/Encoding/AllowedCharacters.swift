internal import TapelineText

/// The ASCII characters that stay as they are when text is percent-encoded; every other byte is encoded.
public struct AllowedCharacters: Sendable, Hashable {
  let bytes: ByteSet

  private init(_ bytes: ByteSet) {
    self.bytes = bytes
  }

  /// The characters of `text`. Those beyond ASCII are always encoded, and ignored here.
  public init(_ text: String) {
    bytes = ByteSet(text)
  }

  /// The characters that need no encoding in a name or a value of a query: the unreserved characters of RFC 3986 2.3, and `/` and
  /// `?`, which 3.4 allows in a query. The other reserved characters (`:#[]@!$&'()*+,;=`) are encoded.
  public static let urlQuery = unreserved.adding("/?")

  /// The unreserved characters of RFC 3986 2.3 alone.
  public static let unreserved = AllowedCharacters(.unreserved)

  /// These characters and those of `text`.
  public func adding(_ text: String) -> AllowedCharacters {
    AllowedCharacters(bytes.union(text))
  }
}
