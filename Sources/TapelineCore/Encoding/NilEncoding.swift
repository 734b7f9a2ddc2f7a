/// What becomes of a `nil` in a query.
public struct NilEncoding: Sendable {
  private let encoding: @Sendable () -> String?

  /// Written as what the function says; with `nil`, the key goes too.
  public init(encoding: @escaping @Sendable () -> String?) {
    self.encoding = encoding
  }

  /// Neither key nor value.
  public static let dropKey = NilEncoding { nil }
  /// The key, with nothing behind `=`.
  public static let dropValue = NilEncoding { "" }
  /// The value `null`.
  public static let null = NilEncoding { "null" }

  func encode() -> String? { encoding() }
}
