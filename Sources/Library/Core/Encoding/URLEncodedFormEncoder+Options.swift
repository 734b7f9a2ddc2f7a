public import FoundationEssentials
internal import TapelineBase

extension URLEncodedFormEncoder {
  /// How `Data` is written.
  public enum DataEncoding: Sendable {
    /// As `Data` encodes itself: an array of numbers.
    case deferredToData
    /// In base 64.
    case base64
    /// By a function.
    case custom(@Sendable (Data) throws -> String)
  }

  /// How a `Date` is written.
  public enum DateEncoding: Sendable {
    /// As `Date` encodes itself: seconds since 2001.
    case deferredToDate
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// In UTC to the second (RFC 3339): `2026-11-21T15:49:12Z`.
    case iso8601
    /// By a function.
    case custom(@Sendable (Date) throws -> String)
  }

  /// How the name of a member is written.
  public enum KeyEncoding: Sendable {
    /// As it is.
    case useDefaultKeys
    /// `oneTwoThree` is written `one_two_three`.
    case convertToSnakeCase
    /// `oneTwoThree` is written `one-two-three`.
    case convertToKebabCase
    /// The first letter in upper case.
    case capitalized
    /// All letters in upper case.
    case uppercased
    /// All letters in lower case.
    case lowercased
    /// By a function.
    case custom(@Sendable (String) -> String)

    func encode(_ key: String) -> String {
      switch self {
      case .useDefaultKeys: key
      case .convertToSnakeCase: Self.words(of: key).joined(separator: "_")
      case .convertToKebabCase: Self.words(of: key).joined(separator: "-")
      case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
      case .uppercased: key.uppercased()
      case .lowercased: key.lowercased()
      case .custom(let encoding): encoding(key)
      }
    }

    /// The words of a name in camel case, in lower case: `myURLProperty` is `my`, `url`, `property`.
    private static func words(of key: String) -> [String] {
      let characters = Array(key)
      var words: [String] = []
      var word = ""
      for (index, character) in characters.enumerated() {
        let followsSmall = index > 0 && !characters[index - 1].isUppercase
        let endsCapitals = index > 0 && index + 1 < characters.count && characters[index + 1].isLowercase
        if character.isUppercase, !word.isEmpty, followsSmall || endsCapitals {
          words.append(word)
          word = ""
        }
        word += character.lowercased()
      }
      return word.isEmpty ? words : words + [word]
    }
  }

  /// How the member of a member is named.
  public struct KeyPathEncoding: Sendable {
    private let encoding: @Sendable (String) -> String

    /// By a function of the inner name, whose result follows the outer name.
    @preconcurrency
    public init(encoding: @escaping @Sendable (_ subkey: String) -> String) {
      self.encoding = encoding
    }

    /// `outer[inner]`.
    public static let brackets = KeyPathEncoding { "[\($0)]" }
    /// `outer.inner`.
    public static let dots = KeyPathEncoding { ".\($0)" }

    func encode(_ subkey: String) -> String { encoding(subkey) }
  }
}

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

/// How a Boolean is written in a query.
public enum BoolEncoding: Sendable, Hashable {
  /// `1` and `0`.
  case numeric
  /// `true` and `false`.
  case literal

  func encode(_ value: Bool) -> String {
    switch self {
    case .numeric: value ? "1" : "0"
    case .literal: value ? "true" : "false"
    }
  }
}

/// How a `nil` is written in a query.
public struct NilEncoding: Sendable {
  private let encoding: @Sendable () -> String?

  /// Writes what the function returns. If it returns `nil`, the key is left out, too.
  @preconcurrency
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

  /// The characters that need no encoding in a name or a value of a query: the unreserved characters of RFC 3986 2.3, and `/`
  /// and `?`, which 3.4 allows in a query. The other reserved characters (`:#[]@!$&'()*+,;=`) are encoded.
  public static let urlQuery = unreserved.adding("/?")

  /// The unreserved characters of RFC 3986 2.3 alone.
  public static let unreserved = AllowedCharacters(.unreserved)

  /// These characters and those of `text`.
  public func adding(_ text: String) -> AllowedCharacters {
    AllowedCharacters(bytes.union(text))
  }
}
