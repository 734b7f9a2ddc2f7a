/// How a `nil` is written in a query.
public struct NilEncoding: Sendable {
  private let encoding: @Sendable () -> String?

  /// Writes what the function returns. If it returns `nil`, the key is left out, too.
  public init(encoding: @escaping @Sendable () -> String?) {
    self.encoding = encoding
  }

  /// Neither key nor value.
  public static let dropKey = NilEncoding { nil }
  /// The key, with nothing after `=`.
  public static let dropValue = NilEncoding { "" }
  /// The value `null`.
  public static let null = NilEncoding { "null" }

  func encode() -> String? { encoding() }
}
