/// How the elements of an array are named in a query.
public enum ArrayEncoding: Sendable {
  /// `key[]` for each.
  case brackets
  /// `key` for each.
  case noBrackets
  /// `key[0]`, `key[1]` and so on.
  case indexInBrackets
  /// By a function of the key and the index.
  case custom(@Sendable (_ key: String, _ index: Int) -> String)

  func encode(key: String, atIndex index: Int) -> String {
    switch self {
    case .brackets: "\(key)[]"
    case .noBrackets: key
    case .indexInBrackets: "\(key)[\(index)]"
    case .custom(let encoding): encoding(key, index)
    }
  }
}
