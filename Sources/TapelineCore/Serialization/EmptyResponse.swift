/// A type that has a value for a response without a body.
public protocol EmptyResponse: Sendable {
  /// The value for no body.
  static func emptyValue() -> Self
}

/// Nothing: for responses whose body nobody needs.
public struct Empty: Codable, Hashable, EmptyResponse {
  /// The only value.
  public static let value = Empty()

  public static func emptyValue() -> Empty { value }
}
