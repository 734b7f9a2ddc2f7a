public import FoundationEssentials

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
