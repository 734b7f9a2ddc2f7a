/// What a field holds in one exchange.
enum QueryValue: Hashable, Sendable {
  /// The log does not say.
  case absent
  case number(Double)
  case text(String)
  case flag(Bool)
  /// A field that may stand on several lines.
  case several([String])

  /// What a field alone says: it is there, and it is not `false`, zero or empty.
  var isTrue: Bool {
    switch self {
    case .absent: false
    case .number(let value): value != 0
    case .text(let text): !text.isEmpty
    case .flag(let value): value
    case .several(let texts): !texts.isEmpty
    }
  }

  /// Whether `condition` holds for the text, or for one of several.
  func hasText(where condition: (String) -> Bool) -> Bool {
    switch self {
    case .text(let text): condition(text)
    case .several(let texts): texts.contains(where: condition)
    case .absent, .number, .flag: false
    }
  }
}
